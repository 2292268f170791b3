import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import type { EpochKeys, KeyNews } from "../shared/messages.ts";
import { MediaKeys } from "./media-keys.ts";

const baseKey = await crypto.subtle.importKey("raw", new Uint8Array(32), "HKDF", false, ["deriveBits"]);

function epochKeys(epoch: number): EpochKeys {
  return { epoch, leaf: 0, baseKey, outerKey: null };
}

function setUp(): { clock: ManualClock; keys: MediaKeys; heard: () => string[] } {
  const clock = new ManualClock();
  const keys = new MediaKeys(clock);
  const news: KeyNews[] = [];
  keys.attach({ postMessage: (item: KeyNews) => void news.push(item) });
  return { clock, keys, heard: () => news.splice(0).map(({ type, epoch }) => `${type} ${epoch}`) };
}

test("a chain of changes does not hold the switch off", () => {
  const { clock, keys, heard } = setUp();
  keys.enter(epochKeys(0), "start");
  for (let epoch = 1; epoch <= 3; epoch += 1) {
    keys.enter(epochKeys(epoch), "removal");
    clock.advance(milli(400));
  }
  expect(heard()).toEqual(["epoch 0", "send 0", "epoch 1", "epoch 2", "epoch 3", "send 3"]);
});

test.for([
  ["additions", 500],
  ["removal", 1000],
] as const)("senders switch once everybody holds the epoch, after %s at the latest in %i ms", ([step, latest]) => {
  const { clock, keys, heard } = setUp();
  keys.enter(epochKeys(0), "start");
  keys.enter(epochKeys(1), step);
  keys.acknowledged(1);
  expect(heard()).toEqual(["epoch 0", "send 0", "epoch 1", "send 1"]);
  keys.enter(epochKeys(2), step);
  clock.advance(milli(latest - 1));
  expect(heard()).toEqual(["epoch 2"]);
  clock.advance(milli(1));
  expect(heard()).toEqual(["send 2"]);
});

test("an acknowledgement of an epoch that was left switches nothing", () => {
  const { keys, heard } = setUp();
  keys.enter(epochKeys(0), "start");
  keys.enter(epochKeys(1), "additions");
  keys.enter(epochKeys(2), "additions");
  heard();
  keys.acknowledged(1);
  expect(heard()).toEqual([]);
  keys.acknowledged(2);
  expect(heard()).toEqual(["send 2"]);
});

test("a removal takes the keys of every earlier epoch away after 3 s", () => {
  const { clock, keys, heard } = setUp();
  keys.enter(epochKeys(0), "start");
  keys.enter(epochKeys(1), "additions");
  clock.advance(milli(1000));
  keys.enter(epochKeys(2), "removal");
  clock.advance(milli(2999));
  expect(heard().filter((item) => item.startsWith("drop"))).toEqual([]);
  clock.advance(milli(1));
  expect(heard()).toEqual(["drop 0", "drop 1"]);
});

test("the epoch whose four bits come around again is dropped at once", () => {
  const { keys, heard } = setUp();
  keys.enter(epochKeys(0), "start");
  for (let epoch = 1; epoch < 16; epoch += 1) keys.enter(epochKeys(epoch), "additions");
  expect(heard()).not.toContain("drop 0");
  keys.enter(epochKeys(16), "additions");
  expect(heard()).toEqual(["drop 0", "epoch 16"]);
});

test("the epochs of another branch go before those of the group joined", () => {
  const { keys, heard } = setUp();
  keys.enter(epochKeys(4), "start");
  keys.enter(epochKeys(5), "additions");
  heard();
  keys.enter({ ...epochKeys(5), leaf: 1 }, "start");
  expect(heard()).toEqual(["drop 5", "epoch 5", "send 5"]);
  keys.clear();
  expect(heard()).toEqual(["drop 4", "drop 5"]);
});
