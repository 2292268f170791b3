import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import type { EpochKeys, KeyUpdate } from "../shared/messages.ts";
import { MediaKeys } from "./media-keys.ts";

const baseKey = await crypto.subtle.importKey("raw", new Uint8Array(32), "HKDF", false, ["deriveBits"]);

function epochKeys(epoch: number): EpochKeys {
  return { epoch, leaf: 0, leaves: [0], baseKey, outerKey: null };
}

function setUp(): { clock: ManualClock; keys: MediaKeys; heard: () => string[] } {
  const clock = new ManualClock();
  const keys = new MediaKeys(clock);
  const news: KeyUpdate[] = [];
  keys.attach({ postMessage: (item: KeyUpdate) => void news.push(item) });
  return { clock, keys, heard: () => news.splice(0).map(told) };
}

function told(item: KeyUpdate): string {
  if ("epoch" in item) return `${item.type} ${item.epoch}`;
  return item.type === "signer" ? `signer of leaf ${item.leaf} in ${item.context}` : `${item.type} in ${item.context}`;
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

test("no two epochs have one id, not even two of one number or those after the group is gone", () => {
  const { keys } = setUp();
  const ids: number[] = [];
  keys.attach({ postMessage: (update: KeyUpdate) => void (update.type === "epoch" && ids.push(update.id)) });
  for (const epoch of [4, 5]) keys.enter(epochKeys(epoch), "additions");
  keys.enter(epochKeys(5), "start");
  keys.clear();
  keys.enter(epochKeys(5), "start");
  expect(new Set(ids).size).toBe(4);
});

test("keys for signatures over frames go to every worker, those that come later included", async () => {
  const { keys, heard } = setUp();
  const { privateKey, publicKey } = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
  keys.sign({ key: privateKey, context: "here" });
  keys.expectSigned(3, { key: publicKey, context: "there" });
  expect(heard()).toEqual(["signing in here", "signer of leaf 3 in there"]);
  const later: KeyUpdate[] = [];
  keys.attach({ postMessage: (item: KeyUpdate) => void later.push(item) });
  expect(later).toEqual([
    { type: "signing", key: privateKey, context: "here" },
    { type: "signer", leaf: 3, key: publicKey, context: "there" },
  ]);
});

test("a worker that comes later hears of the live epochs and of the one to send with", () => {
  const { keys } = setUp();
  const late: KeyUpdate[] = [];
  const port = { postMessage: (item: KeyUpdate) => void late.push(item) };
  keys.attach(port);
  expect(late).toEqual([]);
  keys.enter(epochKeys(3), "start");
  keys.enter(epochKeys(4), "additions");
  const later: KeyUpdate[] = [];
  keys.attach({ postMessage: (item: KeyUpdate) => void later.push(item) });
  expect(later).toEqual([
    { type: "epoch", id: 0, ...epochKeys(3) },
    { type: "epoch", id: 1, ...epochKeys(4) },
    { type: "send", epoch: 3 },
  ]);
  keys.clear();
  const last: KeyUpdate[] = [];
  keys.attach({ postMessage: (item: KeyUpdate) => void last.push(item) });
  expect(last).toEqual([]);
});

test("only the last 64 workers hear", () => {
  const { keys, heard } = setUp();
  const workers = Array.from({ length: 64 }, (): KeyUpdate[] => []);
  for (const news of workers) keys.attach({ postMessage: (item: KeyUpdate) => void news.push(item) });
  keys.enter(epochKeys(0), "start");
  expect([heard(), new Set(workers.map((news) => news.length))]).toEqual([[], new Set([2])]);
});

test("senders switch 500 ms after an addition and 1 s after a removal, or when all hold it, and once", () => {
  const { clock, keys, heard } = setUp();
  keys.enter(epochKeys(0), "start");
  for (const [epoch, step, delay] of [
    [1, "additions", 500],
    [2, "removal", 1000],
  ] as const) {
    keys.enter(epochKeys(epoch), step);
    heard();
    clock.advance(milli(delay - 1));
    expect(heard()).toEqual([]);
    clock.advance(milli(1));
    expect(heard()).toEqual([`send ${epoch}`]);
    keys.acknowledged(epoch);
    expect(heard()).toEqual([]);
  }
  keys.enter(epochKeys(3), "additions");
  keys.acknowledged(3);
  heard();
  clock.advance(milli(900));
  expect(heard()).toEqual([]);
});

test("an epoch is kept for 10 s after it was left, however often others follow", () => {
  const { clock, keys, heard } = setUp();
  keys.enter(epochKeys(0), "start");
  keys.enter(epochKeys(1), "additions");
  clock.advance(milli(9_000));
  keys.enter(epochKeys(2), "additions");
  heard();
  clock.advance(milli(999));
  expect(heard().filter((item) => item.startsWith("drop"))).toEqual([]);
  clock.advance(milli(1));
  expect(heard()).toEqual(["drop 0"]);
  clock.advance(milli(60_000));
  expect(heard()).toEqual(["drop 1"]);
});

test("nothing happens any more after it is closed or cleared", () => {
  for (const end of ["close", "clear"] as const) {
    const { clock, keys, heard } = setUp();
    keys.enter(epochKeys(0), "start");
    keys.enter(epochKeys(1), "additions");
    keys[end]();
    heard();
    clock.advance(milli(60_000));
    expect(heard()).toEqual([]);
    keys.acknowledged(1);
    expect(heard()).toEqual([]);
  }
});
