import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import type { KeyNews } from "../shared/messages.ts";
import { MediaKeys } from "./media-keys.ts";

const baseKey = await crypto.subtle.importKey("raw", new Uint8Array(32), "HKDF", false, ["deriveBits"]);

function setUp(): { clock: ManualClock; keys: MediaKeys; heard: () => string[] } {
  const clock = new ManualClock();
  const keys = new MediaKeys(clock);
  const news: KeyNews[] = [];
  keys.attach({ postMessage: (item: KeyNews) => void news.push(item) });
  return { clock, keys, heard: () => news.splice(0).map(({ type, epoch }) => `${type} ${epoch}`) };
}

test("a chain of changes does not hold the switch off", () => {
  const { clock, keys, heard } = setUp();
  keys.enter(0, 0, baseKey, "start");
  for (let epoch = 1; epoch <= 3; epoch += 1) {
    keys.enter(epoch, 0, baseKey, "removal");
    clock.advance(milli(400));
  }
  expect(heard()).toEqual(["epoch 0", "send 0", "epoch 1", "epoch 2", "epoch 3", "send 3"]);
});

test("an acknowledgement of an epoch that was left switches nothing", () => {
  const { keys, heard } = setUp();
  keys.enter(0, 0, baseKey, "start");
  keys.enter(1, 0, baseKey, "additions");
  keys.enter(2, 0, baseKey, "additions");
  heard();
  keys.acknowledged(1);
  expect(heard()).toEqual([]);
  keys.acknowledged(2);
  expect(heard()).toEqual(["send 2"]);
});

test("a removal takes the keys of every earlier epoch away after 3 s", () => {
  const { clock, keys, heard } = setUp();
  keys.enter(0, 0, baseKey, "start");
  keys.enter(1, 0, baseKey, "additions");
  clock.advance(milli(1000));
  keys.enter(2, 0, baseKey, "removal");
  clock.advance(milli(2999));
  expect(heard().filter((item) => item.startsWith("drop"))).toEqual([]);
  clock.advance(milli(1));
  expect(heard()).toEqual(["drop 0", "drop 1"]);
});

test("the epoch whose four bits come around again is dropped at once", () => {
  const { keys, heard } = setUp();
  keys.enter(0, 0, baseKey, "start");
  for (let epoch = 1; epoch < 16; epoch += 1) keys.enter(epoch, 0, baseKey, "additions");
  expect(heard()).not.toContain("drop 0");
  keys.enter(16, 0, baseKey, "additions");
  expect(heard()).toEqual(["drop 0", "epoch 16"]);
});

test("the epochs of another branch go before those of the group joined", () => {
  const { keys, heard } = setUp();
  keys.enter(4, 0, baseKey, "start");
  keys.enter(5, 0, baseKey, "additions");
  heard();
  keys.enter(5, 1, baseKey, "start");
  expect(heard()).toEqual(["drop 5", "epoch 5", "send 5"]);
  keys.clear();
  expect(heard()).toEqual(["drop 4", "drop 5"]);
});
