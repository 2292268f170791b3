import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, test } from "vitest";
import { LiveOutbox } from "./outbox.ts";

let clock: ManualClock;
let posted: { to: string; body: string }[][];
let outbox: LiveOutbox;
beforeEach(() => {
  clock = new ManualClock();
  const messages: typeof posted = [];
  posted = messages;
  outbox = new LiveOutbox(clock, (items) => void messages.push(items));
});

const push = (times: number, size = 3) => {
  for (let i = 0; i < times; i += 1) outbox.push(`viewer ${i}`, new Uint8Array(size));
};
const lengths = () => posted.map(({ length }) => length);

/** Something has gone out just now: the next waits. */
const busy = () => {
  push(1);
  posted.length = 0;
};

test("the first goes at once, and what comes within 20 ms of it goes in one message, in order", () => {
  push(1);
  expect(posted).toEqual([[{ to: "viewer 0", body: "AAAA" }]]);
  push(2);
  clock.advance(milli(19));
  push(1);
  expect(lengths()).toEqual([1]);
  clock.advance(milli(1));
  expect(posted[1]).toEqual(["viewer 0", "viewer 1", "viewer 0"].map((to) => ({ to, body: "AAAA" })));
  push(1);
  clock.advance(milli(20));
  expect(lengths()).toEqual([1, 3, 1]);
});

test("the thirty-fifth fills a message", () => {
  busy();
  push(34);
  expect(lengths()).toEqual([]);
  push(1);
  expect(lengths()).toEqual([35]);
  push(1);
  expect(lengths()).toEqual([35]);
  clock.advance(milli(20));
  expect(lengths()).toEqual([35, 1]);
});

test("a message has 192 KiB of bodies at most", () => {
  busy();
  push(4, 36 * 1024);
  expect(lengths()).toEqual([]);
  push(1, 3);
  expect(lengths()).toEqual([4]);
  push(3, 36 * 1024);
  push(1, 36 * 1024 - 3);
  expect(lengths()).toEqual([4]);
  push(1, 3);
  expect(lengths()).toEqual([4, 5]);
});

test("with nothing in it nothing is sent", () => {
  outbox.flush();
  push(1);
  outbox.flush();
  clock.advance(milli(100));
  expect(lengths()).toEqual([1]);
});
