import { importBaseKey } from "@sealcast/crypto";
import { packKid, unpackKid } from "@sealcast/frame";
import { ManualClock, milli } from "@sealcast/time";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { TransformOptions } from "../shared/messages.ts";
import { Keyring } from "../worker/sealing/keyring.ts";
import { ONE_LAYER } from "../worker/sealing/layers.ts";
import { Opener } from "../worker/sealing/opener.ts";
import { Policies } from "../worker/sealing/policies.ts";
import { Sealer } from "../worker/sealing/sealer.ts";
import { MediaPool } from "./pool.ts";

/** A media worker of this page: what its transforms open, it opens with keys and windows of its own. */
class FakeWorker {
  readonly keyring: Keyring;
  addEventListener = () => undefined;
  postMessage = () => undefined;
  terminate = () => undefined;

  constructor(baseKey: CryptoKey) {
    this.keyring = keyringOf(2, baseKey);
  }
}

/** What stands on a receiver. */
class FakeTransform {
  readonly opener: Opener;

  constructor(worker: FakeWorker, options: Extract<TransformOptions, { side: "open" }>) {
    this.opener = new Opener(worker.keyring, new Policies(), options.kind, options);
  }
}

let baseKey: CryptoKey;
let pool: MediaPool;

beforeEach(async () => {
  vi.stubGlobal("RTCRtpScriptTransform", FakeTransform);
  baseKey = await importBaseKey(new Uint8Array(32).fill(7));
  const spawn = () => new FakeWorker(baseKey) as unknown as Worker;
  const events = { replaced: () => undefined, fanOutFailed: () => undefined };
  pool = new MediaPool(spawn, () => undefined, events, 4, new ManualClock());
});
afterEach(() => {
  pool.close();
  vi.unstubAllGlobals();
});

function keyringOf(leaf: number, baseKey: CryptoKey): Keyring {
  const keyring = new Keyring(ONE_LAYER);
  keyring.apply({ type: "epoch", id: 0, epoch: 3, leaf, leaves: [0, 1, 2, 3], baseKey, outerKey: null });
  keyring.apply({ type: "send", epoch: 3 });
  return keyring;
}

function open(leaf: number) {
  const receiver = { transform: null as unknown as FakeTransform };
  const attachment = pool.open(receiver as unknown as RTCRtpReceiver, "video", "camera", leaf);
  const opens = async (data: ArrayBuffer) => {
    const opened = await receiver.transform.opener.open(data, "video/VP8", false);
    return opened.ok ? "opened" : opened.drop;
  };
  return { ...attachment, release: () => attachment.release(), opens };
}

it("opens a frame once, whichever of a leaf's connections it comes over, and whatever else was opened meanwhile", async () => {
  const sealer = new Sealer(keyringOf(1, baseKey), new Policies(), "video", { source: "camera", instance: 0 });
  const sealed = await sealer.seal(Uint8Array.from([0x51, ...Array(30).keys()]).buffer, "video/VP8", false);
  if (!sealed.ok) throw new Error(sealed.drop);
  const first = open(1);
  expect(await first.opens(sealed.data)).toBe("opened");
  expect(await open(1).opens(sealed.data), "beside the first").toBe("replayed");
  first.release();
  for (const other of [0, 2, 3]) {
    open(other);
    expect(await open(1).opens(sealed.data)).toBe("replayed");
  }
});

it("replaces a worker that says nothing for 5 s after its start", () => {
  const [clock, replaced] = [new ManualClock(), vi.fn()];
  const spawn = () => new FakeWorker(baseKey) as unknown as Worker;
  const silent = new MediaPool(spawn, () => undefined, { replaced, fanOutFailed: () => undefined }, 1, clock);
  clock.advance(milli(5_000));
  expect(replaced).not.toHaveBeenCalled();
  clock.advance(milli(100));
  expect(replaced).toHaveBeenCalledTimes(1);
  silent.close();
  expect(clock.advance(milli(60_000)), "a pool that is closed asks nobody").toBe(false);
});

it("spreads different people's pictures over its workers", async () => {
  const workers = new Set<unknown>();
  vi.stubGlobal(
    "RTCRtpScriptTransform",
    class {
      constructor(worker: unknown) {
        workers.add(worker);
      }
    },
  );
  for (const leaf of [0, 1, 2, 3]) pool.open({} as RTCRtpReceiver, "video", "camera", leaf);
  expect(workers.size).toBe(4);
});

/** What the pool told a sealing transform of itself. */
function sealer(): Extract<TransformOptions, { side: "seal" }> {
  const made: TransformOptions[] = [];
  vi.stubGlobal(
    "RTCRtpScriptTransform",
    class {
      constructor(_: Worker, options: TransformOptions) {
        made.push(options);
      }
    },
  );
  pool.seal({} as unknown as RTCRtpSender, "audio", "microphone");
  const [options] = made;
  return options?.side === "seal" ? options : expect.unreachable();
}

it("gives each sealer a number that is drawn, never the same twice, and of one length", () => {
  const instances = Array.from({ length: 2_000 }, () => sealer().instance);
  expect(new Set(instances).size).toBe(2_000);
  expect(instances.every((instance) => instance >= 2 ** 18 && instance < 2 ** 19)).toBe(true);
  const rising = instances.filter((instance, i) => instance > (instances[i - 1] ?? 0)).length;
  expect(rising).toBeGreaterThan(800);
  expect(rising).toBeLessThan(1_200);
});

it("names three floors of a picture that several get, whether or not anything was sealed, and none of other tracks", () => {
  const { camera } = pool.fanOuts;
  const before = camera.floors([]);
  expect(before).toHaveLength(3);
  for (const { kid, highest } of before) {
    expect(unpackKid(kid)).toMatchObject({ source: "camera", sealed: true, leaf: 0 });
    expect(highest).toBeGreaterThanOrEqual(2 ** 30 - 1);
    expect(highest).toBeLessThan(2 ** 31);
  }
  const [first, ...others] = before as [(typeof before)[0], ...typeof before];
  const sound = packKid({ instance: sealer().instance, source: "microphone", sealed: true, leaf: 0, epoch: 5 });
  const sealed = [
    { epochId: 0, kid: first.kid | 5n, highest: first.highest + 100 },
    { epochId: 0, kid: sound, highest: 2 ** 32 },
  ];
  const after = [{ kid: first.kid, highest: first.highest + 100 }, ...others];
  expect(camera.floors(sealed)).toEqual(after);
  expect(camera.floors([]), "of an epoch in which nothing was sealed yet").toEqual(after);
});
