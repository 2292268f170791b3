import { importBaseKey } from "@sealcast/crypto";
import { packKid } from "@sealcast/frame";
import { beforeEach, describe, expect, it } from "vitest";
import { Keyring } from "./keyring.ts";
import { ONE_LAYER } from "./layers.ts";
import { Policies } from "./policies.ts";
import { Sealer } from "./sealer.ts";
import type { SenderKeys } from "./sender-keys.ts";

const KID = packKid({ instance: 0, source: "camera", sealed: true, leaf: 1, epoch: 3 });

let baseKey: CryptoKey;
beforeEach(async () => {
  baseKey = await importBaseKey(new Uint8Array(32).fill(7));
});

function holding(epoch: number): Keyring {
  const keyring = new Keyring(ONE_LAYER);
  keyring.apply({ type: "epoch", id: epoch, epoch, leaf: 1, leaves: [0, 1, 2], baseKey, outerKey: null });
  return keyring;
}

/** Leaf 1's camera, in that epoch. */
function camera(keyring: Keyring, epoch = 3): SenderKeys {
  const sender = keyring.epochAt(epoch % 16)?.sender(1, "camera");
  if (!sender) throw new Error("there is no such epoch or leaf");
  return sender;
}

/** As the opener does with a frame that authenticates. */
async function open(keyring: Keyring, counter: number): Promise<void> {
  const sender = camera(keyring);
  const cipher = await sender.cipher(KID);
  if (cipher !== null) sender.accept(KID, cipher, counter);
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
  keyring.apply({ type: "epoch", id: 4, epoch: 4, leaf: 1, leaves: [0, 1, 2], baseKey, outerKey: null });
  keyring.apply({ type: "send", epoch: 4 });
  expect(keyring.sealed).toEqual([]);
  await seal();
  expect(keyring.sealed).toMatchObject([{ epochId: 4, highest: 5 }]);
});

describe("a keyring that takes over from another", () => {
  it("opens nothing at or below what the other one opened, and everything above", async () => {
    const first = holding(3);
    await open(first, 41);
    const next = holding(3);
    next.refuseUpTo(first.counters);
    const fresh = [40, 41, 42].map((counter) => camera(next).isFresh(KID, counter));
    expect(fresh).toEqual([false, false, true]);
    await open(next, 43);
    expect([41, 42].map((counter) => camera(next).isFresh(KID, counter))).toEqual([false, true]);
  });

  it("holds the same floor against nobody else: another stream and another epoch begin at 0", async () => {
    const first = holding(3);
    await open(first, 41);
    const next = holding(3);
    next.refuseUpTo(first.counters);
    next.apply({ type: "epoch", id: 4, epoch: 4, leaf: 1, leaves: [1], baseKey, outerKey: null });
    expect(camera(next).isFresh(KID + 8192n, 0)).toBe(true);
    expect(camera(next, 4).isFresh(KID, 0)).toBe(true);
  });

  it("holds it against nobody who has that leaf in another branch's epoch of the same number", () => {
    const next = new Keyring(ONE_LAYER);
    next.refuseUpTo([{ epochId: 3, kid: KID, highest: 41 }]);
    next.apply({ type: "epoch", id: 4, epoch: 3, leaf: 1, leaves: [1], baseKey, outerKey: null });
    expect(camera(next).isFresh(KID, 0)).toBe(true);
  });

  it("opens nothing from before its keys came, and takes the higher of two floors", () => {
    const floors = [{ kid: KID, highest: 41 }];
    const epoch = { type: "epoch", id: 3, epoch: 3, leaf: 0, leaves: [0, 1], baseKey, outerKey: null, floors } as const;
    const newcomer = new Keyring(ONE_LAYER);
    newcomer.apply({ ...epoch, floors });
    expect([41, 42].map((counter) => camera(newcomer).isFresh(KID, counter))).toEqual([false, true]);
    const replacement = new Keyring(ONE_LAYER);
    replacement.refuseUpTo([{ epochId: 3, kid: KID, highest: 90 }]);
    replacement.apply({ ...epoch, floors });
    expect(camera(replacement).isFresh(KID, 90)).toBe(false);
  });

  it("tells of no stream that it never opened a frame of", async () => {
    const keyring = holding(3);
    await camera(keyring).cipher(KID);
    expect(keyring.counters).toEqual([]);
  });
});

describe("a keyring", () => {
  it("has an epoch's keys until it is dropped, and by its full number only", () => {
    const keyring = holding(19);
    expect(keyring.epochAt(3)?.number).toBe(19);
    keyring.apply({ type: "drop", epoch: 3 });
    expect(keyring.epochAt(3)?.number).toBe(19);
    keyring.apply({ type: "drop", epoch: 19 });
    expect(keyring.epochAt(3)).toBeNull();
  });

  it("has no keys for a leaf that nobody had in the epoch", () => {
    const epoch = holding(3).epochAt(3);
    expect([0, 1, 2, 3, 63].map((leaf) => epoch?.sender(leaf, "camera") != null)).toEqual(
      [0, 1, 2, 3, 63].map((leaf) => leaf <= 2),
    );
  });

  it("keeps an epoch's windows when its keys come again, and seals in no epoch whose place another has taken", async () => {
    const keyring = holding(3);
    await open(keyring, 41);
    const epoch = { type: "epoch", leaf: 1, leaves: [1], baseKey, outerKey: null } as const;
    keyring.apply({ ...epoch, id: 3, epoch: 3 });
    expect(camera(keyring).isFresh(KID, 41)).toBe(false);
    keyring.apply({ type: "send", epoch: 3 });
    keyring.apply({ ...epoch, id: 4, epoch: 19 });
    expect(keyring.sending).toBeNull();
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
    expect(keyring.sending?.number).toBe(3);
  });
});
