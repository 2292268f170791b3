import type { FrameCipher } from "@sealcast/crypto";
import { packKid } from "@sealcast/frame";
import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, it } from "vitest";
import { SenderKeys } from "./sender-keys.ts";

const CIPHER: FrameCipher = { seal: () => Promise.reject(new Error("unused")), open: () => Promise.resolve(null) };

let derived: bigint[];
let sender: SenderKeys;
let clock: ManualClock;

beforeEach(() => {
  clock = new ManualClock();
  derived = [];
  sender = new SenderKeys(
    (kid) => {
      derived.push(kid);
      return Promise.resolve(CIPHER);
    },
    () => -1,
    clock,
  );
});

function kidOf(instance: number, sealed = true): bigint {
  return packKid({ instance, source: "camera", sealed, leaf: 1, epoch: 3 });
}

/** A frame under a KID of that instance comes; `isTrue`: it authenticates. Gives whether there was a key to try. */
async function comes(instance: number, counter: number, isTrue: boolean): Promise<boolean> {
  const cipher = await sender.cipher(kidOf(instance));
  if (cipher !== null && isTrue) sender.accept(kidOf(instance), cipher, counter);
  return cipher !== null;
}

it("derives the key of a KID that authenticated once", async () => {
  for (let counter = 0; counter < 100; counter++) expect(await comes(0, counter, true)).toBe(true);
  expect(derived).toEqual([kidOf(0)]);
});

it("derives one key for frames of one KID that do not authenticate", async () => {
  for (let counter = 0; counter < 100; counter++) expect(await comes(0, counter, false)).toBe(true);
  expect(derived).toEqual([kidOf(0)]);
});

it("keeps nothing of KIDs under which nothing authenticates, however many come", async () => {
  for (let instance = 0; instance < 10_000; instance++) {
    clock.advance(milli(40));
    expect(await comes(instance, 0, false)).toBe(true);
  }
  expect(sender.highest).toEqual([]);
  expect(await comes(20_000, 0, true)).toBe(true);
  expect(sender.highest).toEqual([[kidOf(20_000), 0]]);
});

it("derives at most 32 keys a second for KIDs that are not kept; frames of those that are go on", async () => {
  await comes(0, 0, true);
  clock.advance(milli(1000));
  const tried = await Promise.all(Array.from({ length: 5000 }, (_, at) => comes(at + 1, 0, false)));
  expect(tried.filter((had) => had)).toHaveLength(32);
  expect(await comes(0, 1, true)).toBe(true);
  clock.advance(milli(999));
  expect(await comes(6000, 0, true)).toBe(false);
  clock.advance(milli(1));
  expect(await comes(6000, 0, true)).toBe(true);
});

it("keeps 256 sealers, both KIDs of each, and takes no more", async () => {
  for (let instance = 0; instance < 256; instance++) {
    clock.advance(milli(40));
    await comes(instance, 0, true);
  }
  clock.advance(milli(1000));
  expect(await comes(256, 0, true)).toBe(false);
  expect(await comes(255, 1, true)).toBe(true);
  expect(sender.cipher(kidOf(255, false))).not.toBeNull();
});

it("marks a frame once where two tracks of one source open it at the same time", async () => {
  const [one, other] = await Promise.all([sender.cipher(kidOf(0)), sender.cipher(kidOf(0))]);
  expect([one, other].map((cipher) => cipher && sender.accept(kidOf(0), cipher, 5))).toEqual([5, null]);
  expect(sender.accept(kidOf(0, false), CIPHER, 5), "its readable frames share the window").toBeNull();
});
