import { importBaseKey } from "@sealcast/crypto";
import { packKid } from "@sealcast/frame";
import { beforeEach, describe, expect, it } from "vitest";
import { Keyring, type StreamKey } from "./keyring.ts";
import { ONE_LAYER } from "./layers.ts";
import { Policies } from "./policies.ts";
import { Sealer } from "./sealer.ts";

const KID = packKid({ instance: 0, source: "camera", sealed: true, leaf: 1, epoch: 3 });

let baseKey: CryptoKey;
beforeEach(async () => {
  baseKey = await importBaseKey(new Uint8Array(32).fill(7));
});

function holding(epoch: number): Keyring {
  const keyring = new Keyring(ONE_LAYER);
  keyring.apply({ type: "epoch", id: epoch, epoch, leaf: 1, baseKey, outerKey: null });
  return keyring;
}

async function streamKey(keyring: Keyring, epoch: number, kid = KID): Promise<StreamKey> {
  const key = await keyring.streamKey(epoch, kid);
  if (key === null) throw new Error("there is no such key");
  return key;
}

it("tells the highest counter that each sealer has used in the epoch that is sent in", async () => {
  const keyring = holding(3);
  const sealer = new Sealer(keyring, new Policies(), "audio", { source: "microphone", instance: 2 });
  const seal = () => sealer.seal(new ArrayBuffer(8), "audio/opus", false);
  expect(keyring.sealed).toEqual([]);
  keyring.apply({ type: "send", epoch: 3 });
  for (let frame = 0; frame < 5; frame++) await seal();
  const kid = packKid({ instance: 2, source: "microphone", sealed: true, leaf: 1, epoch: 3 });
  expect(keyring.sealed).toEqual([{ epochId: 3, kid, highest: 4 }]);
  keyring.apply({ type: "epoch", id: 4, epoch: 4, leaf: 1, baseKey, outerKey: null });
  keyring.apply({ type: "send", epoch: 4 });
  expect(keyring.sealed).toEqual([]);
  await seal();
  expect(keyring.sealed).toMatchObject([{ epochId: 4, highest: 5 }]);
});

describe("a keyring that takes over from another", () => {
  it("opens nothing at or below what the other one opened, and everything above", async () => {
    const first = holding(3);
    (await streamKey(first, 3)).seen.mark(41);
    const next = holding(3);
    next.refuseUpTo(first.counters);
    const { seen } = await streamKey(next, 3);
    expect([seen.fresh(40), seen.fresh(41), seen.fresh(42)]).toEqual([false, false, true]);
  });

  it("holds the same floor against nobody else: another stream and another epoch begin at 0", async () => {
    const first = holding(3);
    (await streamKey(first, 3)).seen.mark(41);
    const next = holding(3);
    next.refuseUpTo(first.counters);
    next.apply({ type: "epoch", id: 4, epoch: 4, leaf: 1, baseKey, outerKey: null });
    expect((await streamKey(next, 3, KID + 8192n)).seen.fresh(0)).toBe(true);
    expect((await streamKey(next, 4)).seen.fresh(0)).toBe(true);
  });

  it("holds it against nobody who has that leaf in another branch's epoch of the same number", async () => {
    const next = new Keyring(ONE_LAYER);
    next.refuseUpTo([{ epochId: 3, kid: KID, highest: 41 }]);
    next.apply({ type: "epoch", id: 4, epoch: 3, leaf: 1, baseKey, outerKey: null });
    expect((await streamKey(next, 3)).seen.fresh(0)).toBe(true);
  });

  it("opens nothing from before its keys came, and takes the higher of two floors", async () => {
    const floors = [{ kid: KID, highest: 41 }];
    const newcomer = new Keyring(ONE_LAYER);
    newcomer.apply({ type: "epoch", id: 3, epoch: 3, leaf: 0, baseKey, outerKey: null, floors });
    const { seen } = await streamKey(newcomer, 3);
    expect([seen.fresh(41), seen.fresh(42)]).toEqual([false, true]);
    const replacement = new Keyring(ONE_LAYER);
    replacement.refuseUpTo([{ epochId: 3, kid: KID, highest: 90 }]);
    replacement.apply({ type: "epoch", id: 3, epoch: 3, leaf: 0, baseKey, outerKey: null, floors });
    expect((await streamKey(replacement, 3)).seen.fresh(90)).toBe(false);
  });

  it("tells of no stream that it never opened a frame of", async () => {
    const keyring = holding(3);
    await streamKey(keyring, 3);
    expect(keyring.counters).toEqual([]);
  });
});

describe("a keyring", () => {
  it("derives a stream's key once", async () => {
    const keyring = holding(3);
    const [one, other] = await Promise.all([streamKey(keyring, 3), streamKey(keyring, 3)]);
    expect(one).toBe(other);
    expect(await streamKey(keyring, 3)).toBe(one);
  });

  it("keeps a bounded number of streams, whatever KIDs arrive", async () => {
    const keyring = holding(3);
    for (let instance = 0; instance < 4096; instance++) await keyring.streamKey(3, BigInt(instance));
    expect(keyring.streamKey(3, 4096n)).toBeNull();
  });

  it("has an epoch's key until it is dropped, and by its full number only", async () => {
    const keyring = holding(19);
    expect(keyring.epochAt(3)).toBe(19);
    expect(keyring.streamKey(3, KID)).toBeNull();
    keyring.apply({ type: "drop", epoch: 3 });
    expect(keyring.epochAt(3)).toBe(19);
    keyring.apply({ type: "drop", epoch: 19 });
    expect(keyring.epochAt(3)).toBeNull();
  });

  it("may be sent with once it was told so", async () => {
    const keyring = holding(3);
    let may = false;
    const waiting = keyring.sendable(false).then(() => {
      may = true;
    });
    await Promise.resolve();
    expect(may).toBe(false);
    keyring.apply({ type: "send", epoch: 3 });
    await waiting;
    expect(keyring.sending?.keys.epoch).toBe(3);
  });
});
