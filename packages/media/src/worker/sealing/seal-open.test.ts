import { concat } from "@sealcast/bytes";
import { importBaseKey } from "@sealcast/crypto";
import { encodeHeader, type Policy, packKid, parseSealed, type Source } from "@sealcast/frame";
import { ManualClock, milli } from "@sealcast/time";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { MediaKind } from "../../shared/messages.ts";
import { Keyring } from "./keyring.ts";
import { ONE_LAYER } from "./layers.ts";
import { type OpenedFrame, Opener } from "./opener.ts";
import { Policies } from "./policies.ts";
import { type Sealed, Sealer } from "./sealer.ts";
import { TWO_LAYERS } from "./two-layers.ts";

const VP8_KEY = Uint8Array.from([0x50, 1, 2, 0x9d, 0x01, 0x2a, 0, 5, 0xd0, 2, ...Array(40).keys()]);
const VP8_DELTA = Uint8Array.from([0x51, ...Array(30).keys()]);
const OPUS = Uint8Array.from([0x78, ...Array(20).keys()]);
const H264_KEY = Uint8Array.from([
  ...[0, 0, 0, 1, 0x67, 0x42, 0xc0, 0x15, 0x8c],
  ...[0, 0, 0, 1, 0x68, 0xce, 0x3c, 0x80],
  ...[0, 0, 0, 1, 0x65, 0xb8, ...Array(30).keys(), 0x80],
  ...[0, 0, 0, 1, 0x65, 0x00, 0xf6, 0xe0, ...Array(20).keys(), 0x80],
]);
const H264_DELTA = Uint8Array.from([0, 0, 0, 1, 0x61, 0xe0, ...Array(30).keys()]);
const H265_KEY = Uint8Array.from([
  ...[0, 0, 0, 1, 0x40, 0x01, 0x0c],
  ...[0, 0, 0, 1, 0x42, 0x01, 0x01],
  ...[0, 0, 0, 1, 0x44, 0x01, 0xc1],
  ...[0, 0, 0, 1, 0x26, 0x01, 0xaf, ...Array(30).keys()],
]);
const AV1_KEY = Uint8Array.from([0x0a, 10, ...Array(10).keys(), 0x32, 40, ...Array(40).keys()]);
const AV1_LAYER = Uint8Array.from([0x36, 0x48, 30, ...Array(30).keys()]);
const RUNS = Number(process.env.FUZZ_SLOW_RUNS ?? 200);

const FRAMES: [string, MediaKind, Uint8Array<ArrayBuffer>][] = [
  ["video/VP8", "video", VP8_KEY],
  ["video/VP8", "video", VP8_DELTA],
  ["video/VP9", "video", VP8_DELTA],
  ["video/H264", "video", H264_KEY],
  ["video/H264", "video", H264_DELTA],
  ["video/H265", "video", H265_KEY],
  ["video/AV1", "video", AV1_KEY],
  ["video/AV1", "video", AV1_LAYER],
  ["audio/opus", "audio", OPUS],
  ["audio/red", "audio", OPUS],
];

let ada: Keyring;
let ben: Keyring;
let clock: ManualClock;

/** Ada is leaf 1, Ben leaf 2; both hold epoch 3 and send in it. */
beforeEach(async () => {
  ada = new Keyring(ONE_LAYER);
  clock = new ManualClock();
  ben = new Keyring(ONE_LAYER, clock);
  await enter(3, 7);
});

async function enter(epoch: number, seed: number): Promise<void> {
  const baseKey = await importBaseKey(new Uint8Array(32).fill(seed));
  ada.apply({ type: "epoch", id: epoch, epoch, leaf: 1, leaves: [0, 1, 2], baseKey, outerKey: null });
  ben.apply({ type: "epoch", id: epoch, epoch, leaf: 2, leaves: [0, 1, 2], baseKey, outerKey: null });
  ada.apply({ type: "send", epoch });
}

function otherKey(): Promise<CryptoKey> {
  return importBaseKey(new Uint8Array(32).fill(99));
}

function sealer(kind: MediaKind = "video", source: Source = "camera", instance = 0): Sealer {
  return new Sealer(ada, new Policies(), kind, { source, instance });
}

function opener(kind: MediaKind = "video", source: Source = "camera", leaf = 1): Opener {
  return new Opener(ben, new Policies(), kind, { leaf, source });
}

/** A frame that nobody sealed, of Ada's camera and an instance of the forger's choice. */
function forged(instance: number): ArrayBuffer {
  const header = encodeHeader(packKid({ instance, source: "camera", sealed: true, leaf: 1, epoch: 3 }), 0);
  return concat(VP8_DELTA, new Uint8Array(16), header, Uint8Array.of(header.length)).buffer;
}

function buffer(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

async function sealed(by: Sealer, frame: Uint8Array = VP8_DELTA, mimeType = "video/VP8"): Promise<ArrayBuffer> {
  return dataOf(await by.seal(buffer(frame), mimeType, false));
}

function dataOf(result: Sealed | OpenedFrame): ArrayBuffer {
  if (!result.ok) throw new Error(`dropped: ${result.drop}`);
  return result.data;
}

describe("a frame", () => {
  it.each(FRAMES)("of %s (%s) comes back as it was", async (mimeType, kind, frame) => {
    const data = await sealed(sealer(kind), frame, mimeType);
    const opened = await opener(kind).open(data, mimeType, false);
    expect(new Uint8Array(dataOf(opened))).toEqual(frame);
    expect(opened.epoch).toBe(3);
  });

  it.each(FRAMES)(
    "of %s (%s) grows by at most 24 bytes, 32 in a codec of units, with the 3 that the counters of 2^24 frames take",
    async (mimeType, kind, frame) => {
      const by = sealer(kind, "camera", 2000);
      const result = await by.seal(buffer(frame), mimeType, false);
      // The first counter takes no byte of its own.
      expect(result.ok && result.overhead + 3).toBeLessThanOrEqual(/H26|AV1/.test(mimeType) ? 32 : 24);
    },
  );

  it("of VP8 shows its clear bytes and nothing of the rest", async () => {
    const data = new Uint8Array(await sealed(sealer(), VP8_KEY));
    expect(data.subarray(0, 10)).toEqual(VP8_KEY.subarray(0, 10));
    expect(Buffer.from(data).includes(Buffer.from(VP8_KEY.subarray(10, 18)))).toBe(false);
  });

  it("with any one byte changed, at any place, is refused", async () => {
    for (const [instance, [mimeType, kind, frame]] of FRAMES.entries()) {
      const by = sealer(kind, "camera", instance);
      const data = new Uint8Array(await sealed(by, frame, mimeType));
      for (let at = 0; at < data.length; at++) {
        const changed = Uint8Array.from(data);
        changed[at] = (changed[at] ?? 0) ^ 0x21;
        expect((await opener(kind).open(changed.buffer, mimeType, false)).ok, `${mimeType} byte ${at}`).toBe(false);
      }
      expect((await opener(kind).open(data.buffer, mimeType, false)).ok).toBe(true);
    }
  });

  it.each(["video/VP8", "video/H264", "video/AV1"])(
    "that is random bytes (%s) never opens and never throws",
    async (mimeType) => {
      const by = opener();
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), async (bytes) => {
          expect((await by.open(buffer(bytes), mimeType, false)).ok).toBe(false);
        }),
        { numRuns: RUNS },
      );
    },
  );
});

describe("an opener refuses", () => {
  it("what it opened before", async () => {
    const by = opener();
    const data = await sealed(sealer());
    expect((await by.open(data, "video/VP8", false)).ok).toBe(true);
    expect(await by.open(data, "video/VP8", false)).toEqual({ ok: false, drop: "replayed", epoch: 3 });
  });

  it("another member's frames", async () => {
    const data = await sealed(sealer());
    expect(await opener("video", "camera", 2).open(data, "video/VP8", false)).toMatchObject({ drop: "wrong-sender" });
  });

  it("another source's frames", async () => {
    const data = await sealed(sealer("video", "screen-picture"));
    expect(await opener().open(data, "video/VP8", false)).toMatchObject({ drop: "wrong-sender" });
  });

  it("a frame of another codec or kind", async () => {
    const data = await sealed(sealer(), VP8_DELTA, "video/VP9");
    expect((await opener().open(data, "video/VP8", false)).ok).toBe(false);
    expect((await opener("audio").open(data, "video/VP9", false)).ok).toBe(false);
    expect(await opener().open(data, "video/unheard-of", false)).toMatchObject({ drop: "unknown-codec" });
    expect((await opener().open(data, "video/VP9", false)).ok).toBe(true);
  });

  it("an epoch that it was never given, or that is over", async () => {
    const before = await sealed(sealer());
    await enter(4, 8);
    const after = await sealed(sealer());
    ben.apply({ type: "drop", epoch: 3 });
    expect(await opener().open(before, "video/VP8", false)).toEqual({ ok: false, drop: "unknown-epoch", epoch: null });
    expect((await opener().open(after, "video/VP8", false)).ok).toBe(true);
  });

  it("a frame of the epoch sixteen before, whose place another has taken", async () => {
    const old = await sealed(sealer());
    await enter(19, 9);
    expect(await opener().open(old, "video/VP8", false)).toEqual({ ok: false, drop: "bad-tag", epoch: 19 });
  });

  it("a leaf that nobody had in the frame's epoch", async () => {
    const alone = new Keyring(ONE_LAYER);
    const baseKey = await importBaseKey(new Uint8Array(32).fill(7));
    alone.apply({ type: "epoch", id: 3, epoch: 3, leaf: 2, leaves: [2], baseKey, outerKey: null });
    const by = new Opener(alone, new Policies(), "video", { leaf: 1, source: "camera" });
    expect(await by.open(await sealed(sealer()), "video/VP8", false)).toMatchObject({ drop: "wrong-sender", epoch: 3 });
  });

  it("forged frames of any number of KIDs, and neither a true one nor one's own sealers miss a key for it", async () => {
    const data = new Uint8Array(await sealed(sealer("video", "camera", 5000)));
    const by = opener();
    const drops = new Set<string>();
    for (let instance = 0; instance < 5000; instance++) {
      const opened = await by.open(forged(instance), "video/VP8", false);
      drops.add(opened.ok ? "opened" : opened.drop);
    }
    expect([...drops].toSorted()).toEqual(["bad-tag", "no-key"]);
    clock.advance(milli(1000));
    expect(await by.open(data.buffer, "video/VP8", false)).toMatchObject({ ok: true });
    ben.apply({ type: "send", epoch: 3 });
    const own = new Sealer(ben, new Policies(), "audio", { source: "microphone", instance: 0 });
    expect(await own.seal(buffer(OPUS), "audio/opus", false)).toMatchObject({ ok: true });
  });

  it("an empty frame, by its own name", async () => {
    expect(await opener("audio").open(new ArrayBuffer(), "audio/opus", false)).toMatchObject({ drop: "empty" });
  });
});

describe("a sealer", () => {
  it("lets nothing out without a key", async () => {
    const none = new Sealer(new Keyring(ONE_LAYER), new Policies(), "video", { source: "camera", instance: 0 });
    expect(await none.seal(buffer(VP8_DELTA), "video/VP8", false)).toEqual({ ok: false, drop: "no-key", epoch: null });
    ada.apply({ type: "drop", epoch: 3 });
    expect(await sealer().seal(buffer(VP8_DELTA), "video/VP8", false)).toMatchObject({ drop: "no-key" });
  });

  it("lets nothing out of a codec that it has no view for", async () => {
    expect(await sealer().seal(buffer(VP8_DELTA), "video/unheard-of", false)).toMatchObject({ drop: "unknown-codec" });
    expect(await sealer().seal(buffer(VP8_DELTA), undefined, false)).toMatchObject({ drop: "unknown-codec" });
  });

  it("keeps its old epoch until it is told to switch", async () => {
    const by = sealer();
    const baseKey = await importBaseKey(new Uint8Array(32).fill(8));
    ada.apply({ type: "epoch", id: 4, epoch: 4, leaf: 1, leaves: [0, 1, 2], baseKey, outerKey: null });
    expect(await by.seal(buffer(VP8_DELTA), "video/VP8", false)).toMatchObject({ epoch: 3 });
    ada.apply({ type: "send", epoch: 4 });
    expect(await by.seal(buffer(VP8_DELTA), "video/VP8", false)).toMatchObject({ epoch: 4 });
  });

  it("leaves the old key where it joins another branch of the same number", async () => {
    const by = sealer();
    await sealed(by);
    ada.apply({ type: "drop", epoch: 3 });
    ada.apply({
      type: "epoch",
      id: 4,
      epoch: 3,
      leaf: 1,
      leaves: [0, 1, 2],
      baseKey: await otherKey(),
      outerKey: null,
    });
    ada.apply({ type: "send", epoch: 3 });
    const data = await sealed(by);
    expect(await opener().open(data, "video/VP8", false)).toMatchObject({ drop: "bad-tag" });
    ben.apply({ type: "drop", epoch: 3 });
    ben.apply({
      type: "epoch",
      id: 4,
      epoch: 3,
      leaf: 2,
      leaves: [0, 1, 2],
      baseKey: await otherKey(),
      outerKey: null,
    });
    expect(await opener().open(data, "video/VP8", false)).toMatchObject({ ok: true });
  });

  it("never uses a KID and counter twice: not with a second encoder, not after a change of epoch", async () => {
    const headers: string[] = [];
    const sealers = [sealer("video", "camera", 0), sealer("video", "camera", 1), sealer("audio", "microphone", 2)];
    for (const epoch of [3, 4, 19]) {
      await enter(epoch, epoch);
      for (const by of sealers)
        for (let i = 0; i < 20; i++) {
          const data = Buffer.from(await sealed(by));
          headers.push(data.subarray(data.length - 1 - (data.at(-1) ?? 0)).toString("hex"));
        }
    }
    expect(new Set(headers).size).toBe(headers.length);
  });
});

describe("a policy", () => {
  const KEY_FRAMES: Policy = { mode: "key-frames" };
  const none = (keyFrames: boolean): Policy => ({ mode: "rate", percent: 0, keyFrames });
  let leaving: Policies;
  let heard: Policies;

  beforeEach(() => {
    leaving = new Policies();
    heard = new Policies(clock);
  });

  const selective = (kind: MediaKind = "video") =>
    new Sealer(ada, leaving, kind, { source: kind === "video" ? "camera" : "microphone", instance: 0 });
  const hearing = (kind: MediaKind = "video") =>
    new Opener(ben, heard, kind, { leaf: 1, source: kind === "video" ? "camera" : "microphone" });
  const announce = (policy: Policy, epoch = 3) => heard.announced({ leaf: 1, source: "camera", epoch, policy });

  it.each(FRAMES.filter(([, kind]) => kind === "video"))(
    "leaves a frame of %s (%s) readable, and it comes back as it was",
    async (mimeType, kind, frame) => {
      leaving.follow("camera", 3, none(false));
      announce(none(false));
      const left = await selective(kind).seal(buffer(frame), mimeType, true);
      expect(left).toMatchObject({ ok: true, readable: true });
      const opened = await hearing(kind).open(dataOf(left), mimeType, true);
      expect(opened).toMatchObject({ ok: true, readable: true, epoch: 3 });
      expect(new Uint8Array(dataOf(opened))).toEqual(frame);
    },
  );

  it("keeps a readable frame's bytes in their places", async () => {
    leaving.follow("camera", 3, none(false));
    const data = new Uint8Array(dataOf(await selective().seal(buffer(VP8_KEY), "video/VP8", true)));
    expect(data.subarray(0, VP8_KEY.length)).toEqual(VP8_KEY);
  });

  it("does not let a readable frame be altered at any place, nor come twice", async () => {
    leaving.follow("camera", 3, none(false));
    announce(none(false));
    for (const [instance, [mimeType, , frame]] of FRAMES.filter(([, kind]) => kind === "video").entries()) {
      const by = new Sealer(ada, leaving, "video", { source: "camera", instance });
      const data = new Uint8Array(dataOf(await by.seal(buffer(frame), mimeType, false)));
      for (let at = 0; at < data.length; at++) {
        const changed = Uint8Array.from(data);
        changed[at] = (changed[at] ?? 0) ^ 0x21;
        expect((await hearing().open(changed.buffer, mimeType, false)).ok, `${mimeType} byte ${at}`).toBe(false);
      }
      expect((await hearing().open(data.buffer, mimeType, false)).ok).toBe(true);
      expect(await hearing().open(data.buffer, mimeType, false)).toMatchObject({ drop: "replayed" });
    }
  });

  it("seals key frames and leaves the others, or draws", async () => {
    const readable = async (isKey: boolean) => {
      const sealed = await selective().seal(buffer(VP8_DELTA), "video/VP8", isKey);
      return sealed.ok && sealed.readable;
    };
    expect([await readable(true), await readable(false)]).toEqual([false, false]);
    leaving.follow("camera", 3, KEY_FRAMES);
    expect([await readable(true), await readable(false)]).toEqual([false, true]);
    leaving.follow("camera", 3, { mode: "rate", percent: 50, keyFrames: true });
    const drawn = await Promise.all(Array.from({ length: 400 }, () => readable(false)));
    // 400 draws at 50 %: further off than 120 from 200 comes once in 10^33 runs.
    expect(Math.abs(drawn.filter((left) => left).length - 200)).toBeLessThan(120);
  });

  it("of another source or epoch leaves nothing readable", async () => {
    leaving.follow("screen-picture", 3, none(false));
    leaving.follow("camera", 2, none(false));
    expect(await selective().seal(buffer(VP8_DELTA), "video/VP8", false)).toMatchObject({ readable: false });
    expect(await selective("audio").seal(buffer(OPUS), "audio/opus", false)).toMatchObject({ readable: false });
    leaving.follow("camera", 3, none(false));
    expect(await selective().seal(buffer(VP8_DELTA), "video/VP8", false)).toMatchObject({ readable: true });
    await enter(4, 8);
    expect(await selective().seal(buffer(VP8_DELTA), "video/VP8", false)).toMatchObject({ readable: false });
  });

  const left = async () => dataOf(await selective().seal(buffer(VP8_DELTA), "video/VP8", false));
  const refused = { ok: false, drop: "not-announced" };

  it("is refused from a sender who announced nothing, or something else", async () => {
    leaving.follow("camera", 3, none(false));
    expect(await hearing().open(await left(), "video/VP8", false)).toMatchObject({ ...refused, epoch: 3 });
    heard.announced({ leaf: 2, source: "camera", epoch: 3, policy: none(false) });
    heard.announced({ leaf: 1, source: "screen-picture", epoch: 3, policy: none(false) });
    announce({ mode: "everything" });
    expect(await hearing().open(await left(), "video/VP8", false)).toMatchObject(refused);
    announce(KEY_FRAMES);
    expect(await hearing().open(await left(), "video/VP8", true)).toMatchObject(refused);
    expect(await hearing().open(await left(), "video/VP8", false)).toMatchObject({ ok: true });
  });

  it("is refused 2 s after its announced end, and until then not", async () => {
    leaving.follow("camera", 3, none(false));
    announce(none(false));
    clock.advance(milli(60_000));
    announce({ mode: "everything" });
    clock.advance(milli(1_999));
    expect(await hearing().open(await left(), "video/VP8", false)).toMatchObject({ ok: true });
    clock.advance(milli(1));
    expect(await hearing().open(await left(), "video/VP8", false)).toMatchObject(refused);
  });

  it("is refused in a new epoch, until it is announced there", async () => {
    announce(none(false));
    await enter(4, 8);
    leaving.follow("camera", 4, none(false));
    expect(await hearing().open(await left(), "video/VP8", false)).toMatchObject({ ...refused, epoch: 4 });
    announce(none(false), 4);
    expect(await hearing().open(await left(), "video/VP8", false)).toMatchObject({ ok: true });
  });

  it("of a member who was another before is void", async () => {
    leaving.follow("camera", 3, none(false));
    announce(none(false));
    heard.clear();
    expect(await hearing().open(await left(), "video/VP8", false)).toMatchObject(refused);
    leaving.clear();
    expect(await selective().seal(buffer(VP8_DELTA), "video/VP8", false)).toMatchObject({ readable: false });
  });

  it("shares one counter and one window between sealed and readable frames", async () => {
    announce(KEY_FRAMES);
    leaving.follow("camera", 3, KEY_FRAMES);
    const by = selective();
    const counters: number[] = [];
    for (const isKey of [true, false, true, false]) {
      const data = dataOf(await by.seal(buffer(isKey ? VP8_KEY : VP8_DELTA), "video/VP8", isKey));
      const parsed = parseSealed("vp8", new Uint8Array(data), 16);
      counters.push(parsed.ok ? parsed.counter : -1);
      expect(await hearing().open(data, "video/VP8", isKey)).toMatchObject({ ok: true, readable: !isKey });
    }
    expect(counters).toEqual([0, 1, 2, 3]);
    expect(ben.counters).toEqual([{ epochId: 3, kid: expect.anything(), highest: 3 }]);
    const next = new Keyring(ONE_LAYER);
    next.refuseUpTo(ben.counters);
    next.apply({
      type: "epoch",
      id: 3,
      epoch: 3,
      leaf: 2,
      leaves: [0, 1, 2],
      baseKey: await importBaseKey(new Uint8Array(32).fill(7)),
      outerKey: null,
    });
    const again = dataOf(await selective().seal(buffer(VP8_DELTA), "video/VP8", false));
    const opener = new Opener(next, heard, "video", { leaf: 1, source: "camera" });
    expect(await opener.open(again, "video/VP8", false)).toMatchObject({ drop: "replayed" });
  });
});

describe("a room of two layers", () => {
  const outerKey = new Uint8Array(32).fill(5);
  const keyring = async (outer: Uint8Array | null) => {
    const held = new Keyring(TWO_LAYERS);
    const baseKey = await importBaseKey(new Uint8Array(32).fill(7));
    held.apply({ type: "epoch", id: 3, epoch: 3, leaf: 1, leaves: [0, 1, 2], baseKey, outerKey: outer });
    held.apply({ type: "send", epoch: 3 });
    return held;
  };
  const twice = async (outer: Uint8Array | null = outerKey, policies = new Policies()) =>
    new Sealer(await keyring(outer), policies, "video", { source: "camera", instance: 0 });
  const open = async (outer: Uint8Array, data: ArrayBuffer, mimeType: string, policies = new Policies()) =>
    new Opener(await keyring(outer), policies, "video", { leaf: 1, source: "camera" }).open(data, mimeType, false);

  it.each(FRAMES.filter(([, kind]) => kind === "video"))(
    "gives back a frame of %s (%s)",
    async (mimeType, _, frame) => {
      const data = dataOf(await (await twice()).seal(buffer(frame), mimeType, false));
      expect(new Uint8Array(dataOf(await open(outerKey, data, mimeType)))).toEqual(frame);
      expect(await open(new Uint8Array(32), data, mimeType)).toMatchObject({ drop: "bad-tag" });
    },
  );

  it("authenticates what it leaves readable twice as well", async () => {
    const policies = new Policies();
    policies.follow("camera", 3, { mode: "key-frames" });
    policies.announced({ leaf: 1, source: "camera", epoch: 3, policy: { mode: "key-frames" } });
    const data = dataOf(await (await twice(outerKey, policies)).seal(buffer(VP8_DELTA), "video/VP8", false));
    expect(await open(outerKey, data, "video/VP8", policies)).toMatchObject({ ok: true, readable: true });
    expect(await open(new Uint8Array(32), data, "video/VP8", policies)).toMatchObject({ drop: "bad-tag" });
  });

  it("lets nothing out without the second key, and nothing in of one layer", async () => {
    await expect((await twice(null)).seal(buffer(VP8_DELTA), "video/VP8", false)).rejects.toThrow("second layer");
    const once = await sealed(sealer());
    expect((await open(outerKey, once, "video/VP8")).ok).toBe(false);
  });
});
