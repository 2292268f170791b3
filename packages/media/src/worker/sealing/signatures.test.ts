import { concat } from "@sealcast/bytes";
import { frameDigest, importBaseKey, newSigningKeys, sign } from "@sealcast/crypto";
import { type Batch, encodeBatch, packKid, parseSignedBatch, sealedKid, signedMessage } from "@sealcast/frame";
import { type Clock, ManualClock, type Milli, milli } from "@sealcast/time";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MOST_BATCHES } from "../../shared/latest-batches.ts";
import type { Verdict } from "../../shared/messages.ts";
import { digestOf } from "./digest.ts";
import { Keyring } from "./keyring.ts";
import { type Layers, ONE_LAYER } from "./layers.ts";
import { type OpenedFrame, Opener } from "./opener.ts";
import { Policies } from "./policies.ts";
import { type Sealed, Sealer } from "./sealer.ts";
import { Signer } from "./signer.ts";
import { TWO_LAYERS } from "./two-layers.ts";
import { Verifier } from "./verifier.ts";

/** Host is leaf 0; viewers hold its base key, and one of them, Mallory, seals under it. */

const EPOCH = 3;
const CONTEXT = "a stream";
const FRAME = Uint8Array.from([0x51, ...Array(30).keys()]);
const OTHER = Uint8Array.from([0x51, ...Array(30).fill(9)]);
const FRAME_MS = milli(33);
const MALLORY_RUNS_AHEAD = 500;
const RUNS = Number(process.env.FUZZ_SLOW_RUNS ?? 30);

let keys: CryptoKeyPair;
let clock: ManualClock;
/** What Web Crypto has been asked to do: nothing else here takes real time. */
let work: Promise<unknown>[];

beforeEach(async () => {
  keys = await newSigningKeys();
  clock = new ManualClock();
  work = [];
  for (const name of ["digest", "sign"] as const) {
    const original = crypto.subtle[name].bind(crypto.subtle) as (...of: unknown[]) => Promise<ArrayBuffer>;
    vi.spyOn(crypto.subtle, name).mockImplementation((...of: unknown[]) => {
      const done = original(...of);
      work.push(done);
      return done;
    });
  }
});
afterEach(() => void vi.restoreAllMocks());

/** Until all digests and signatures are there, and have been dealt with. */
async function settled(): Promise<void> {
  do {
    await Promise.allSettled(work.splice(0));
    await new Promise((next) => setImmediate(next));
  } while (work.length > 0);
}

async function enter(keyring: Keyring, epoch = EPOCH, leaf = 0): Promise<void> {
  const baseKey = await importBaseKey(new Uint8Array(32).fill(epoch));
  keyring.apply({
    type: "epoch",
    id: epoch,
    epoch,
    leaf,
    leaves: [0, 1, 2],
    baseKey,
    outerKey: new Uint8Array(32).fill(5),
  });
  keyring.apply({ type: "send", epoch });
}

/** The host's side: `out` are the batches that its workers have made. */
class Host {
  readonly keyring: Keyring;
  readonly policies = new Policies();
  readonly out: Uint8Array[] = [];

  constructor(layers: Layers = ONE_LAYER) {
    this.keyring = new Keyring(layers);
  }

  async start(signing: { key: CryptoKey; context: string } | null = { key: keys.privateKey, context: CONTEXT }) {
    await enter(this.keyring);
    if (signing !== null) this.keyring.apply({ type: "signing", ...signing });
    return this;
  }

  signer(): Signer {
    return new Signer(this.keyring, clock, (batch) => this.out.push(batch));
  }

  sealer(instance = 0, signer: Signer | null = this.signer()): Sealer {
    return new Sealer(this.keyring, this.policies, "video", { source: "camera", instance }, signer);
  }
}

class Viewer {
  readonly keyring: Keyring;
  readonly policies = new Policies();
  readonly verifier: Verifier;
  readonly opener: Opener;
  /** When the track was found out; null: it was not. */
  accusedAt: number | null = null;
  /** Since when it opens nothing; null: it does. */
  shutAt: number | null = null;

  constructor(layers: Layers = ONE_LAYER, time: Clock = clock, late?: Milli) {
    this.keyring = new Keyring(layers);
    const from = { leaf: 0, source: "camera" } as const;
    let before: Verdict = "signed";
    const judged = (verdict: Verdict) => {
      expect(verdict, "news").not.toBe(before);
      expect(this.accusedAt, "nothing follows on forged").toBeNull();
      before = verdict;
      this.shutAt = verdict === "signed" ? null : (this.shutAt ?? time.now());
      if (verdict === "forged") this.accusedAt = time.now();
    };
    this.verifier = new Verifier(this.keyring, from, time, judged, late === undefined ? {} : { late });
    this.opener = new Opener(this.keyring, this.policies, "video", from, this.verifier);
  }

  async start(key: CryptoKey | null = keys.publicKey) {
    await enter(this.keyring, EPOCH, 1);
    if (key !== null) this.keyring.apply({ type: "signer", leaf: 0, key, context: CONTEXT });
    return this;
  }

  open(data: ArrayBuffer): Promise<OpenedFrame> {
    return this.opener.open(data, "video/VP8", false);
  }

  async hear(...batches: Uint8Array[]): Promise<void> {
    await settled();
    for (const batch of batches) {
      const signed = parseSignedBatch(batch);
      if (signed === null) throw new Error("a batch does not parse");
      await this.verifier.take(signed);
    }
  }
}

function dataOf(result: Sealed): ArrayBuffer {
  if (!result.ok) throw new Error(`dropped: ${result.drop}`);
  return result.data;
}

async function seal(sealer: Sealer, frame: Uint8Array = FRAME): Promise<ArrayBuffer> {
  return dataOf(await sealer.seal(Uint8Array.from(frame).buffer, "video/VP8", false));
}

/** This many frames, 33 ms each, with their batches as they come. */
async function stream(host: Host, sealer: Sealer, viewer: Viewer, frames: number): Promise<void> {
  for (let i = 0; i < frames; i++) {
    clock.advance(FRAME_MS);
    expect(await viewer.open(await seal(sealer))).toMatchObject({ ok: true });
    await viewer.hear(...host.out.splice(0));
  }
}

/** Lets time go by in which nothing is sent but batches. */
async function wait(host: Host, viewer: Viewer, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) {
    clock.advance(milli(Math.min(50, left)));
    await settled();
    await viewer.hear(...host.out.splice(0));
  }
}

/** Mallory seals under the host's leaf, source and instance, from the given counter on. */
async function forger(counter: number, instance = 0): Promise<Sealer> {
  const mallory = new Host();
  await mallory.start(null);
  const sealer = mallory.sealer(instance, null);
  for (let i = 0; i < counter; i++) await seal(sealer);
  return sealer;
}

async function pair(): Promise<{ host: Host; sealer: Sealer; viewer: Viewer }> {
  const [host, viewer] = await Promise.all([new Host().start(), new Viewer().start()]);
  return { host, sealer: host.sealer(), viewer };
}

describe("an honest stream", () => {
  it("opens, and each frame is signed within half a second", async () => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 150);
    expect(host.out).toEqual([]);
    expect(await viewer.open(await seal(sealer))).toMatchObject({ ok: true });
    clock.advance(milli(499));
    await settled();
    clock.advance(milli(1));
    await settled();
    expect(host.out).toHaveLength(1);
    await viewer.hear(...host.out.splice(0));
    await wait(host, viewer, 10_000);
    expect(viewer.accusedAt).toBeNull();
  });

  it("is never accused under 10 % loss, with frames and batches that overtake each other or come twice", async () => {
    const fates = fc.array(fc.record({ lost: fc.nat(9), late: fc.nat(300) }), { minLength: 60, maxLength: 120 });
    const delays = fc.array(fc.nat(1_100), { minLength: 60, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fates, delays, fc.nat(100), async (list, batchDelays, switchAt) => {
        clock = new ManualClock();
        const { host, sealer, viewer } = await pair();
        const due: { at: number; arrive: () => Promise<void> }[] = [];
        const arrivals = async () => {
          await settled();
          for (const batch of host.out.splice(0))
            for (const delay of [batchDelays.pop() ?? 0, 1_100])
              due.push({ at: clock.now() + delay, arrive: () => viewer.hear(batch) });
          for (const item of due.filter(({ at }) => at <= clock.now())) {
            due.splice(due.indexOf(item), 1);
            await item.arrive();
          }
        };
        for (const [index, { lost, late }] of list.entries()) {
          clock.advance(FRAME_MS);
          if (index === switchAt) await Promise.all([enter(host.keyring, 4), enter(viewer.keyring, 4, 1)]);
          const data = await seal(sealer);
          const arrive = async () => {
            const result = await viewer.open(data);
            // Its batch was overtaken by a later one, for all that is known long ago.
            if (!result.ok) expect(result.drop).toBe("unsigned");
          };
          if (lost > 0) due.push({ at: clock.now() + late, arrive });
          await arrivals();
        }
        for (let i = 0; i < 150; i++) {
          clock.advance(FRAME_MS);
          await arrivals();
        }
        expect([due.length, viewer.accusedAt, viewer.shutAt]).toEqual([0, null, null]);
      }),
      { numRuns: RUNS },
    );
  }, 120_000);

  it("goes on over a change of epoch, whose frames are in a batch of their own", async () => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 5);
    await Promise.all([enter(host.keyring, 4), enter(viewer.keyring, 4, 1)]);
    await viewer.open(await seal(sealer));
    await settled();
    expect(host.out.map((batch) => parseSignedBatch(batch)?.batch)).toMatchObject([{ epoch: 3 }]);
    await stream(host, sealer, viewer, 90);
    await wait(host, viewer, 3_000);
    expect(viewer.accusedAt).toBeNull();
  });

  it("goes on over a change to an epoch with the same four bits", async () => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 5);
    await Promise.all([enter(host.keyring, 19), enter(viewer.keyring, 19, 1)]);
    await stream(host, sealer, viewer, 90);
    await wait(host, viewer, 3_000);
    expect(viewer.accusedAt).toBeNull();
  });

  it("may come from several encoders at once", async () => {
    const { host, sealer, viewer } = await pair();
    const other = host.sealer(1);
    for (let i = 0; i < 60; i++) {
      await stream(host, sealer, viewer, 1);
      await stream(host, other, viewer, 1);
    }
    await wait(host, viewer, 3_000);
    expect(viewer.accusedAt).toBeNull();
  });

  it("may leave frames readable, which are signed like all others", async () => {
    const { host, sealer, viewer } = await pair();
    host.policies.follow("camera", EPOCH, { mode: "key-frames" });
    viewer.policies.announced({ leaf: 0, source: "camera", epoch: EPOCH, policy: { mode: "key-frames" } });
    await stream(host, sealer, viewer, 60);
    await wait(host, viewer, 3_000);
    expect(viewer.accusedAt).toBeNull();
    const mallory = new Host();
    await mallory.start(null);
    mallory.policies.follow("camera", EPOCH, { mode: "key-frames" });
    const forging = mallory.sealer(0, null);
    for (let i = 0; i < 60; i++) await seal(forging);
    expect(await viewer.open(await seal(forging, OTHER))).toMatchObject({ ok: true, readable: true });
    await seal(sealer);
    await wait(host, viewer, 600);
    expect(viewer.accusedAt).not.toBeNull();
  });

  it("may be sealed twice", async () => {
    const [host, viewer] = await Promise.all([new Host(TWO_LAYERS).start(), new Viewer(TWO_LAYERS).start()]);
    await stream(host, host.sealer(), viewer, 30);
    await wait(host, viewer, 3_000);
    expect(viewer.accusedAt).toBeNull();
  });

  it("makes full batches at once", async () => {
    const { host, sealer } = await pair();
    for (let i = 0; i < 65; i++) await seal(sealer);
    await settled();
    const batches = host.out.map((batch) => parseSignedBatch(batch)?.batch);
    expect(batches).toMatchObject([{ first: 0 }]);
    const { digests, number } = batches[0] ?? expect.unreachable();
    expect(digests).toHaveLength(64);
    clock.advance(milli(500));
    await settled();
    expect(parseSignedBatch(host.out[1] ?? new Uint8Array())?.batch).toMatchObject({ first: 64, number: number + 1 });
  });

  it("numbers its batches from anywhere on, and may seal with counters from anywhere on", async () => {
    const { host, viewer } = await pair();
    const numbers: number[] = [];
    for (const instance of [1, 2, 3, 4]) {
      const first = 2 ** 30 + instance;
      const stream = { source: "camera", instance, first } as const;
      const sealer = new Sealer(host.keyring, host.policies, "video", stream, host.signer());
      for (let i = 0; i < 64; i++) expect(await viewer.open(await seal(sealer))).toMatchObject({ ok: true });
      await settled();
      const { batch } = parseSignedBatch(host.out[0] ?? new Uint8Array()) ?? expect.unreachable();
      expect(batch.first).toBe(first);
      numbers.push(batch.number);
      await viewer.hear(...host.out.splice(0));
    }
    expect(new Set(numbers).size).toBe(4);
    expect(numbers.every((number) => number < 2 ** 31) && Math.max(...numbers) > 2 ** 20).toBe(true);
    await wait(host, viewer, 3_000);
    expect(viewer.accusedAt).toBeNull();
  });

  it("whose batches do not come for 10 s is shut after 2 s, and opens again with them; the same once more", async () => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 60);
    for (let times = 0; times < 2; times++) {
      const drops = new Set<string>();
      const since = clock.now();
      for (; clock.now() - since < 10_000; clock.advance(FRAME_MS)) {
        const result = await viewer.open(await seal(sealer));
        if (!result.ok) drops.add(result.drop);
        await settled();
      }
      expect(drops).toEqual(new Set(["unsigned"]));
      expect((viewer.shutAt ?? Number.NaN) - since).toBeLessThanOrEqual(2_000 + FRAME_MS);
      await viewer.hear(...host.out.splice(0));
      await settled();
      expect(viewer.shutAt).toBeNull();
      await stream(host, sealer, viewer, 90);
    }
    await wait(host, viewer, 20_000);
    expect([viewer.shutAt, viewer.accusedAt]).toEqual([null, null]);
  });

  it("opens again with the last of the batches that were missing, not before", async () => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 45);
    const held: Uint8Array[] = [];
    for (let ms = 0; ms < 3_000; ms += FRAME_MS, clock.advance(FRAME_MS)) {
      await viewer.open(await seal(sealer));
      await settled();
      held.push(...host.out.splice(0));
    }
    expect(held.length).toBeGreaterThan(4);
    const [first, ...others] = held;
    for (const batch of others) await viewer.hear(batch);
    await settled();
    expect(await viewer.open(await seal(sealer))).toMatchObject({ drop: "unsigned" });
    await viewer.hear(...(first === undefined ? [] : [first]));
    await settled();
    expect(await viewer.open(await seal(sealer))).toMatchObject({ ok: true });
  });

  it("leaves a frame that could not be sealed out of its batches", async () => {
    const { host, viewer } = await pair();
    const signer = host.signer();
    const [sealer, kid] = [host.sealer(0, signer), packKid({ ...STREAM, instance: 0 })];
    await viewer.open(await seal(sealer));
    // As if the counter had been used up by a frame whose sealing threw.
    signer.add(EPOCH, kid, 5, Promise.resolve(new Uint8Array(16)));
    clock.advance(milli(500));
    await settled();
    const batches = host.out.map((batch) => parseSignedBatch(batch)?.batch);
    expect(new Set(batches.map((batch) => `${batch?.first}: ${batch?.digests.length}`))).toEqual(
      new Set(["0: 1", "5: 1"]),
    );
  });
});

const STREAM = { source: "camera", sealed: true, leaf: 0, epoch: EPOCH } as const;

describe("a member who holds the key and forges a frame", () => {
  /** The forged frame opened `at`, and then the host's frames go on: for 2 s at most any of them opens. */
  async function caught(host: Host, sealer: Sealer, viewer: Viewer, at: number): Promise<void> {
    while (viewer.accusedAt === null) {
      expect(clock.now() - at, "15 s are enough").toBeLessThanOrEqual(15_000);
      clock.advance(FRAME_MS);
      const { ok } = await viewer.open(await seal(sealer));
      expect(ok && clock.now() - at > 2_000, "opened after more than 2 s").toBe(false);
      await viewer.hear(...host.out.splice(0));
    }
    expect((viewer.shutAt ?? clock.now()) - at).toBeLessThanOrEqual(2_000);
    expect(await viewer.open(await seal(sealer))).toEqual({ ok: false, drop: "forged", epoch: EPOCH });
    await wait(host, viewer, 5_000);
    expect(await viewer.open(await seal(sealer))).toEqual({ ok: false, drop: "forged", epoch: EPOCH });
  }

  it("before the true one is caught, and the track opens nothing any more", async () => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 60);
    expect(await viewer.open(await seal(await forger(60), OTHER))).toMatchObject({ ok: true });
    const at = clock.now();
    expect(await viewer.open(await seal(sealer))).toMatchObject({ drop: "replayed" });
    await caught(host, sealer, viewer, at);
  });

  it("in the place of the true one is caught by the batch that has it", async () => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 60);
    expect(await viewer.open(await seal(await forger(60), OTHER))).toMatchObject({ ok: true });
    const at = clock.now();
    await seal(sealer);
    await caught(host, sealer, viewer, at);
    expect((viewer.accusedAt ?? 0) - at).toBeLessThanOrEqual(500);
  });

  it.each([
    ["under a counter that the host has not reached", MALLORY_RUNS_AHEAD, 0],
    ["under the number of an encoder that the host does not have", 0, 77],
  ])("besides the true ones, %s, is caught", async (_, counter, instance) => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 60);
    expect(await viewer.open(await seal(await forger(counter, instance), OTHER))).toMatchObject({ ok: true });
    await caught(host, sealer, viewer, clock.now());
  });

  it("after its batch, a frame that was lost, is caught at once", async () => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 20);
    await seal(sealer);
    await stream(host, sealer, viewer, 40);
    expect(viewer.accusedAt).toBeNull();
    await viewer.open(await seal(await forger(20), OTHER));
    await settled();
    expect(viewer.accusedAt).toBe(clock.now());
  });

  it("is caught as well where the host signs nothing at all", async () => {
    const viewer = await new Viewer().start();
    const opened = await viewer.open(await seal(await forger(0)));
    expect(opened).toMatchObject({ ok: true });
    clock.advance(milli(1_999));
    expect(viewer.shutAt).toBeNull();
    clock.advance(milli(1));
    expect(viewer.shutAt).toBe(2_000);
    expect(await viewer.open(await seal(await forger(1)))).toMatchObject({ drop: "unsigned" });
    clock.advance(milli(12_999));
    expect(viewer.accusedAt).toBeNull();
    clock.advance(milli(1));
    expect(viewer.accusedAt).toBe(15_000);
  });

  it("while the host's page stands still has nothing opened for longer than 2 s, and is caught once that signs again", async () => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 60);
    const forging = await forger(60);
    const opened: number[] = [];
    for (const since = clock.now(); clock.now() - since < 6_000; clock.advance(FRAME_MS)) {
      if ((await viewer.open(await seal(forging, OTHER))).ok) opened.push(clock.now() - since);
      await seal(sealer);
      await settled();
    }
    expect(Math.max(...opened)).toBeLessThanOrEqual(2_000);
    expect(viewer.accusedAt).toBeNull();
    await viewer.hear(...host.out.splice(0));
    await settled();
    expect(viewer.accusedAt).toBe(clock.now());
  });

  it("is caught while one is being opened: that one is not shown either", async () => {
    const { host, sealer, viewer } = await pair();
    await viewer.open(await seal(await forger(0), OTHER));
    const [first, second] = [await seal(sealer), await seal(sealer)];
    expect(await viewer.open(first)).toMatchObject({ drop: "replayed" });
    clock.advance(milli(500));
    await settled();
    const opening = viewer.open(second);
    // The tag verifies later than the track is shut.
    clock.advance(milli(1_500));
    expect(await opening).toMatchObject({ ok: false, drop: "unsigned" });
    expect(host.out).toHaveLength(1);
  });

  it("does not help herself with batches of her own, of another stream, or altered", async () => {
    const { viewer } = await pair();
    const kid = packKid({ ...STREAM, instance: 0 });
    const data = await seal(await forger(0), OTHER);
    const spied = vi.spyOn(viewer.verifier, "opened");
    await viewer.open(data);
    const digest = (await spied.mock.calls[0]?.[3]) ?? new Uint8Array();
    const body = encodeBatch({ kid, epoch: EPOCH, number: 0, first: 0, digests: [digest] });
    const signed = async (key: CryptoKey, context: string) =>
      concat(body, await sign(key, signedMessage(context, body)));
    const hers = await newSigningKeys();
    const altered = await signed(keys.privateKey, CONTEXT);
    altered[altered.length - 65] = (altered.at(-65) ?? 0) ^ 1;
    await viewer.hear(await signed(hers.privateKey, CONTEXT), await signed(keys.privateKey, "another"), altered);
    clock.advance(milli(15_000));
    expect([viewer.shutAt, viewer.accusedAt]).toEqual([2_000, 15_000]);
  });

  it("cannot use a batch of another source or leaf", async () => {
    const { host, viewer } = await pair();
    await viewer.open(await seal(await forger(0)));
    const verified = vi.spyOn(crypto.subtle, "verify");
    for (const other of [{ source: "microphone" }, { leaf: 1 }] as const) {
      const kid = packKid({ ...STREAM, instance: 0, ...other });
      host.signer().add(EPOCH, kid, 0, Promise.resolve(new Uint8Array(16)));
    }
    clock.advance(milli(500));
    await settled();
    expect(host.out).toHaveLength(2);
    await viewer.hear(...host.out);
    expect(verified).not.toHaveBeenCalled();
  });
});

describe("a batch", () => {
  it("that comes again is not looked at again", async () => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 10);
    clock.advance(milli(500));
    await settled();
    const verified = vi.spyOn(crypto.subtle, "verify");
    const [batch] = host.out;
    if (batch === undefined) throw new Error("there is no batch");
    await viewer.hear(batch, batch);
    expect(verified).toHaveBeenCalledOnce();
  });

  it("that comes twice at once counts once", async () => {
    const { host, sealer, viewer } = await pair();
    const data = await seal(sealer);
    clock.advance(milli(500));
    await settled();
    await Promise.all([viewer.hear(...host.out), viewer.hear(...host.out)]);
    await viewer.open(data);
    await wait(host, viewer, 3_000);
    expect(viewer.accusedAt).toBeNull();
  });

  it("that comes before the host's key waits for it, as do the frames", async () => {
    const [host, viewer] = await Promise.all([new Host().start(), new Viewer().start(null)]);
    const sealer = host.sealer();
    const [early, late] = [await seal(sealer), await seal(sealer)];
    expect(await viewer.open(early)).toEqual({ ok: false, drop: "no-key", epoch: EPOCH });
    clock.advance(milli(500));
    await settled();
    const heard = viewer.hear(...host.out);
    viewer.keyring.apply({ type: "signer", leaf: 7, key: keys.publicKey, context: CONTEXT });
    viewer.keyring.apply({ type: "signer", leaf: 0, key: keys.publicKey, context: CONTEXT });
    await heard;
    expect(await viewer.open(late)).toMatchObject({ ok: true });
    await wait(host, viewer, 5_000);
    expect(viewer.accusedAt).toBeNull();
  });

  it("is not checked while all that are kept, and as many others, are", async () => {
    const { viewer } = await pair();
    const verified = vi.spyOn(crypto.subtle, "verify");
    const kid = packKid({ ...STREAM, instance: 0 });
    const batches = Array.from({ length: 2 * MOST_BATCHES + 6 }, (_, number) => batchOf({ kid, number }));
    await Promise.all(batches.map((batch) => viewer.verifier.take(batch)));
    expect(verified).toHaveBeenCalledTimes(2 * MOST_BATCHES);
    await viewer.verifier.take(batchOf({ kid, number: 2 * MOST_BATCHES }));
    expect(verified).toHaveBeenCalledTimes(2 * MOST_BATCHES + 1);
  });
});

/** With no good signature. */
function batchOf(of: Partial<Batch>) {
  const kid = packKid({ ...STREAM, instance: 0 });
  const body = encodeBatch({ kid, epoch: EPOCH, number: 0, first: 0, digests: [new Uint8Array(16)], ...of });
  const signed = parseSignedBatch(concat(body, new Uint8Array(64)));
  if (signed === null) throw new Error("no batch");
  return signed;
}

function firstOf(batch: Uint8Array): number {
  return parseSignedBatch(batch)?.batch.first ?? Number.NaN;
}

describe("memory", () => {
  it("holds 1,024 frames that nobody has signed; with one more the track is given up", async () => {
    const { viewer } = await pair();
    const kid = packKid({ ...STREAM, instance: 0 });
    const digest = Promise.resolve(new Uint8Array(16));
    for (let i = 0; i < 1024; i++) expect(viewer.verifier.opened(EPOCH, kid, i, digest)).toBeNull();
    expect(viewer.accusedAt).toBeNull();
    expect(viewer.verifier.opened(EPOCH, kid, 1024, digest)).toBe("forged");
    expect(viewer.accusedAt).toBe(0);
  });

  it("holds the digests of the last 1,024 counters of each stream that were signed: an earlier frame is refused, and accuses nobody", async () => {
    const { host, viewer } = await pair();
    const streams = [0, 1, 2].map((instance) => packKid({ ...STREAM, instance }));
    const digest = Promise.resolve(new Uint8Array(16));
    for (const kid of streams) {
      const signer = host.signer();
      for (let i = 0; i < 1025; i++) signer.add(EPOCH, kid, i, digest);
    }
    clock.advance(milli(500));
    await settled();
    const inOrder = host.out.toSorted((a, b) => firstOf(a) - firstOf(b));
    await viewer.hear(...inOrder);
    for (const kid of streams)
      expect([0, 1].map((late) => viewer.verifier.opened(EPOCH, kid, late, digest))).toEqual(["unsigned", null]);
    await settled();
    clock.advance(milli(2_000));
    expect(viewer.accusedAt).toBeNull();
  });
});

describe("a relay that keeps frames back", () => {
  const digest = Promise.resolve(new Uint8Array(16));
  const kid = packKid({ ...STREAM, instance: 0 });

  it("until a later one is signed, whose own batch was lost: they are refused, accuse nobody, and the true ones after them open", async () => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 30);
    await wait(host, viewer, 500);
    const kept = [await seal(sealer), await seal(sealer)];
    clock.advance(milli(500));
    await settled();
    expect(host.out.splice(0), "lost").toHaveLength(1);
    await stream(host, sealer, viewer, 30);
    await wait(host, viewer, 500);
    for (const data of kept) expect(await viewer.open(data)).toMatchObject({ ok: false, drop: "unsigned" });
    await stream(host, sealer, viewer, 90);
    await wait(host, viewer, 20_000);
    expect([viewer.shutAt, viewer.accusedAt]).toEqual([null, null]);
  });

  it("loses nobody a frame where a batch takes longer to check than the one after it", async () => {
    const { host, sealer, viewer } = await pair();
    const frames: ArrayBuffer[] = [];
    for (let times = 0; times < 2; times++) {
      frames.push(await seal(sealer));
      clock.advance(milli(500));
      await settled();
    }
    const verify = crypto.subtle.verify.bind(crypto.subtle);
    let finish = (): void => undefined;
    vi.spyOn(crypto.subtle, "verify").mockImplementationOnce(async (...of) => {
      await new Promise<void>((done) => (finish = done));
      return verify(...of);
    });
    const signed = host.out.map((batch) => parseSignedBatch(batch) ?? expect.unreachable());
    const taken = Promise.all(signed.map((batch) => viewer.verifier.take(batch)));
    await settled();
    expect(await viewer.open(frames[0] ?? new ArrayBuffer())).toMatchObject({ ok: true });
    finish();
    await taken;
    await wait(host, viewer, 20_000);
    expect([viewer.shutAt, viewer.accusedAt]).toEqual([null, null]);
  });

  it("from before the first batch that a receiver has had: they are refused, and accuse nobody", async () => {
    const { host, viewer } = await pair();
    const signer = host.signer();
    for (let i = 0; i < 128; i++) signer.add(EPOCH, kid, 500 + i, digest);
    await settled();
    await viewer.hear(...host.out.filter((batch) => firstOf(batch) > 500));
    expect([499, 500, 563, 564].map((counter) => viewer.verifier.opened(EPOCH, kid, counter, digest))).toEqual([
      ...["unsigned", "unsigned", "unsigned"],
      null,
    ]);
    await wait(host, viewer, 3_000);
    expect(viewer.accusedAt).toBeNull();
  });

  it("until their digests go while their own are computed, accuses nobody", async () => {
    const { host, viewer } = await pair();
    const signer = host.signer();
    for (let i = 0; i < 1_088; i++) signer.add(EPOCH, kid, i, digest);
    await settled();
    const inOrder = host.out.toSorted((a, b) => firstOf(a) - firstOf(b));
    await viewer.hear(...inOrder.slice(0, 16));
    let computed = (_: Uint8Array): void => undefined;
    const computing = new Promise<Uint8Array>((done) => {
      computed = done;
    });
    expect(viewer.verifier.opened(EPOCH, kid, 3, computing)).toBeNull();
    await viewer.hear(...inOrder.slice(16));
    computed(new Uint8Array(16));
    await wait(host, viewer, 3_000);
    expect(viewer.accusedAt).toBeNull();
  });
});

describe("the batches of 32 streams", () => {
  it("are told apart; of the one before them they count as new, and change nothing", async () => {
    const { host, sealer, viewer } = await pair();
    const verified = vi.spyOn(crypto.subtle, "verify");
    const digest = Promise.resolve(new Uint8Array(16));
    for (let instance = 1; instance <= 33; instance++)
      host.signer().add(EPOCH, packKid({ ...STREAM, instance }), 0, digest);
    clock.advance(milli(500));
    await settled();
    await viewer.hear(...host.out, ...host.out.slice(-32));
    expect(verified).toHaveBeenCalledTimes(33);
    await viewer.hear(...host.out.splice(0, 1));
    expect(verified).toHaveBeenCalledTimes(34);
    await stream(host, sealer, viewer, 90);
    expect(viewer.accusedAt).toBeNull();
  });

  it("of former epochs, sent once more, leave those of the present one as they are", async () => {
    const { host, sealer, viewer } = await pair();
    const digest = Promise.resolve(new Uint8Array(16));
    for (let epoch = 100; epoch < 140; epoch++)
      host.signer().add(epoch, packKid({ ...STREAM, instance: 0, epoch }), 0, digest);
    clock.advance(milli(500));
    await settled();
    const former = host.out.splice(0);
    await Promise.all([enter(host.keyring, 200), enter(viewer.keyring, 200, 1)]);
    const kept = await seal(sealer);
    clock.advance(milli(500));
    await settled();
    await viewer.hear(...host.out.splice(0), ...former);
    expect(await viewer.open(kept)).toMatchObject({ ok: true });
    await wait(host, viewer, 3_000);
    expect(viewer.accusedAt).toBeNull();
  });
});

describe("a sealing worker that died", () => {
  it("leaves frames unsigned that its successor disowns: nobody is accused, and none of it opens any more", async () => {
    const { host, sealer, viewer } = await pair();
    await stream(host, sealer, viewer, 40);
    // The worker dies with a batch in its hands.
    expect(await viewer.open(await seal(sealer))).toMatchObject({ ok: true });
    const late = await seal(sealer);
    const next = await new Host().start();
    const signer = next.signer();
    await signer.disown("camera", [0]);
    const successor = next.sealer(1, signer);
    await stream(next, successor, viewer, 5);
    expect(await viewer.open(late)).toEqual({ ok: false, drop: "unsigned", epoch: EPOCH });
    await stream(next, successor, viewer, 90);
    expect(viewer.accusedAt).toBeNull();
    await viewer.open(await seal(await forger(0, 2)));
    await wait(next, viewer, 15_000);
    expect(viewer.accusedAt).not.toBeNull();
  });

  it("is disowned in every epoch, and only by the host", async () => {
    const { host, sealer, viewer } = await pair();
    await viewer.open(await seal(sealer));
    const hers = await newSigningKeys();
    const mallory = await new Host().start({ key: hers.privateKey, context: CONTEXT });
    await mallory.signer().disown("camera", [0]);
    await viewer.hear(...mallory.out);
    await Promise.all([enter(host.keyring, 4), enter(viewer.keyring, 4, 1)]);
    const later = await seal(sealer);
    const next = await new Host().start();
    await enter(next.keyring, 4);
    expect(await viewer.open(later)).toMatchObject({ ok: true });
    await next.signer().disown("camera", [0]);
    await viewer.hear(...next.out);
    expect(await viewer.open(await seal(sealer))).toMatchObject({ drop: "unsigned" });
    clock.advance(milli(5_000));
    expect(viewer.accusedAt).toBeNull();
  });

  it("is disowned once its successor holds keys", async () => {
    const next = new Host();
    const done = next.signer().disown("camera", [4, 5]);
    await next.start();
    await done;
    expect(next.out.map((batch) => parseSignedBatch(batch)?.batch.kid)).toEqual([
      packKid({ ...STREAM, instance: 4 }),
      packKid({ ...STREAM, instance: 5 }),
    ]);
  });

  it("is not forgotten for 32 more that die", async () => {
    const { host, sealer, viewer } = await pair();
    const late = [await seal(host.sealer(0, null)), await seal(host.sealer(1, null))];
    const numbers = Array.from({ length: 33 }, (_, instance) => instance);
    await host.signer().disown("camera", numbers);
    await viewer.hear(...host.out.splice(0));
    expect(await viewer.open(late[1] ?? new ArrayBuffer())).toMatchObject({ drop: "unsigned" });
    // The oldest is: it falls under the rule for all others, and the signature of a frame of it is missed.
    expect(await viewer.open(late[0] ?? new ArrayBuffer())).toMatchObject({ ok: true });
    await wait(host, viewer, 15_000);
    expect(viewer.accusedAt).not.toBeNull();
    await seal(sealer);
  });
});

describe("a track", () => {
  it("that was found out before opens nothing", async () => {
    const { sealer, viewer } = await pair();
    const again = new Verifier(viewer.keyring, { leaf: 0, source: "camera" }, clock, () => expect.unreachable(), {
      isForged: true,
    });
    const opener = new Opener(viewer.keyring, viewer.policies, "video", { leaf: 0, source: "camera" }, again);
    const decrypted = vi.spyOn(crypto.subtle, "decrypt");
    expect(await opener.open(await seal(sealer), "video/VP8", false)).toMatchObject({ ok: false, drop: "forged" });
    expect(decrypted, "nothing is worked on in vain").not.toHaveBeenCalled();
    expect(again.opened(EPOCH, packKid({ ...STREAM, instance: 0 }), 0, Promise.resolve(new Uint8Array(16)))).toBe(
      "forged",
    );
  });

  it("of a call's relay opens nothing that comes 4 s after its signature and later, and accuses nobody for it", async () => {
    const { host, sealer } = await pair();
    const viewer = await new Viewer(ONE_LAYER, clock, milli(4_000)).start();
    const [first, second, ...kept] = await Promise.all(Array.from({ length: 4 }, () => seal(sealer)));
    await viewer.open(first ?? new ArrayBuffer());
    await wait(host, viewer, 1_000);
    expect(await viewer.open(second ?? new ArrayBuffer()), "that late it may come").toMatchObject({ ok: true });
    await wait(host, viewer, 4_000);
    for (const data of kept) expect(await viewer.open(data)).toMatchObject({ ok: false, drop: "unsigned" });
    await stream(host, sealer, viewer, 60);
    await wait(host, viewer, 16_000);
    expect([viewer.accusedAt, viewer.shutAt]).toEqual([null, null]);
  });

  it("that is another in the place of one before opens nothing that was signed 4 s ago either", async () => {
    const { host, sealer } = await pair();
    const viewer = await new Viewer(ONE_LAYER, clock, milli(4_000)).start();
    const [first, second] = await Promise.all(Array.from({ length: 2 }, () => seal(sealer)));
    await wait(host, viewer, 0);
    clock.advance(milli(500));
    await settled();
    const batches = host.out.splice(0).map((batch) => parseSignedBatch(batch) ?? expect.unreachable());
    const came = clock.now();
    clock.advance(milli(3_999));
    for (const batch of batches) await viewer.verifier.take(batch, came);
    expect(await viewer.open(first ?? new ArrayBuffer())).toMatchObject({ ok: true });
    clock.advance(milli(1));
    expect(await viewer.open(second ?? new ArrayBuffer())).toMatchObject({ ok: false, drop: "unsigned" });
  });

  it("on a machine that slept accuses nobody: batches are read when it wakes", async () => {
    const timers: (() => void)[] = [];
    const asleep: Clock = {
      now: () => milli(0),
      after(_, fn) {
        timers.push(fn);
        return () => undefined;
      },
    };
    const { host, sealer } = await pair();
    const viewer = await new Viewer(ONE_LAYER, asleep).start();
    await viewer.open(await seal(sealer));
    // Hours later one timer runs, and then what came meanwhile is read.
    timers.shift()?.();
    expect(viewer.accusedAt).toBeNull();
    clock.advance(milli(500));
    await settled();
    await viewer.hear(...host.out);
    for (let i = 0; i < 20; i++) timers.shift()?.();
    expect(viewer.accusedAt).toBeNull();
  });

  it("that is to be signed seals nothing without a key for that", async () => {
    const host = await new Host().start(null);
    const sealed = await host.sealer().seal(FRAME.slice().buffer, "video/VP8", false);
    expect(sealed).toEqual({ ok: false, drop: "no-key", epoch: EPOCH });
    let isReady = false;
    const ready = host.keyring.sendable(true).then(() => {
      isReady = true;
    });
    await host.keyring.sendable(false);
    await new Promise((next) => setImmediate(next));
    expect(isReady).toBe(false);
    host.keyring.apply({ type: "signing", key: keys.privateKey, context: CONTEXT });
    await ready;
  });

  it("that is not signed costs nothing", async () => {
    const { host, viewer } = await pair();
    const opener = new Opener(viewer.keyring, viewer.policies, "video", { leaf: 0, source: "camera" });
    const data = await seal(host.sealer(0, null));
    expect(await opener.open(data, "video/VP8", false)).toMatchObject({ ok: true });
    expect(crypto.subtle.digest).not.toHaveBeenCalled();
    expect(crypto.subtle.sign).not.toHaveBeenCalled();
  });
});

it("a frame's digest is over all that its tag covers, ciphertext and tag", async () => {
  expect(await digestOf(Uint8Array.of(1, 2), Uint8Array.of(3))).toEqual(await frameDigest(Uint8Array.of(1, 2, 3)));
});

it("the KID of a batch is that of sealed frames", async () => {
  const { host, viewer } = await pair();
  const kid = packKid({ ...STREAM, sealed: false, instance: 0 });
  const digest = Promise.resolve(new Uint8Array(16));
  host.signer().add(EPOCH, kid, 0, digest);
  viewer.verifier.opened(EPOCH, kid, 0, digest);
  await wait(host, viewer, 3_000);
  expect(viewer.accusedAt).toBeNull();
  expect(sealedKid(kid)).not.toBe(kid);
});
