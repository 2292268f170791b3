import { ManualClock, milli, TokenBucket } from "@sealcast/time";
import { beforeEach, expect, test } from "vitest";
import { LiveOutbox } from "./outbox.ts";

let clock: ManualClock;
let posted: { to: string; body: string }[][];
let dismissed: string[][];
let outbox: LiveOutbox;
beforeEach(() => {
  clock = new ManualClock();
  const messages: typeof posted = [];
  posted = messages;
  dismissed = [];
  outbox = new LiveOutbox(clock, (message) => {
    if (message.type === "deliver") messages.push(message.items);
    else dismissed.push(message.viewers);
  });
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

test("a message has sixty-four bodies at most", () => {
  busy();
  push(130);
  clock.advance(milli(20));
  expect(lengths()).toEqual([64, 64, 2]);
});

test("a message has 192 KiB of bodies at most", () => {
  busy();
  push(4, 36 * 1024);
  push(1, 3);
  push(3, 36 * 1024);
  push(1, 36 * 1024 - 3);
  push(1, 3);
  clock.advance(milli(20));
  expect(lengths()).toEqual([4, 5, 1]);
});

test("with an answer its viewer is accepted, and with nothing else", () => {
  const accepted: string[][] = [];
  outbox = new LiveOutbox(clock, (message) => {
    if (message.type === "deliver") accepted.push(message.accept);
  });
  outbox.push("first", new Uint8Array(3), true);
  for (let i = 0; i < 64; i += 1) outbox.push("again", new Uint8Array(3), i % 2 === 0);
  outbox.push("last", new Uint8Array(3), true);
  outbox.push("other", new Uint8Array(3));
  clock.advance(milli(20));
  expect(accepted).toEqual([["first"], ["again"], ["last"]]);
});

test("a crowd's words stay within what the server reads of a socket, and none waits for long", () => {
  const server = new TokenBucket({ burst: 60, perSecond: 20 }, clock);
  let least = server.left;
  outbox = new LiveOutbox(clock, (message) => {
    if (message.type === "deliver") posted.push(message.items);
    least = Math.min(least, server.take());
  });
  for (let ms = 0; ms < 10_000; ms += 20) {
    push(10);
    outbox.dismiss("viewer 9");
    clock.advance(milli(20));
  }
  expect(least, "there is room for what else the host says").toBeGreaterThanOrEqual(15);
  clock.advance(milli(100));
  expect(posted.flat(), "all has gone").toHaveLength(5_000);
});

test("long words stay within what the server reads of a socket, too, and are neither lost nor put off for long", () => {
  const server = new TokenBucket({ burst: 4 * 1024 * 1024, perSecond: 512 * 1024 }, clock);
  let least = server.left;
  outbox = new LiveOutbox(clock, (message) => {
    if (message.type !== "deliver") return;
    posted.push(message.items);
    least = Math.min(least, server.take(message.items.reduce((sum, { body }) => sum + body.length, 0)));
  });
  push(100, 40_000);
  clock.advance(milli(10_000));
  expect(posted.flat()).toHaveLength(100);
  expect(least).toBeGreaterThan(0);
});

test("an answer is under way until it has left", () => {
  busy();
  push(1);
  expect(outbox.isAnswering("viewer 0")).toBe(false);
  outbox.push("viewer 0", new Uint8Array(3), true);
  expect(outbox.isAnswering("viewer 0")).toBe(true);
  clock.advance(milli(20));
  expect(outbox.isAnswering("viewer 0")).toBe(false);
});

test("sixty-four are dismissed in one message", () => {
  busy();
  for (let i = 0; i < 130; i += 1) outbox.dismiss(`viewer ${i}`);
  expect(dismissed).toEqual([]);
  clock.advance(milli(20));
  expect(dismissed.map(({ length }) => length)).toEqual([64, 64, 2]);
  expect(new Set(dismissed.flat()).size).toBe(130);
});

test("a session ends after what was said to it, and waits for little that is said later", () => {
  const order: string[] = [];
  outbox = new LiveOutbox(clock, (message) => {
    if (message.type === "dismiss") order.push(...message.viewers.map((viewer) => `end ${viewer}`));
    else order.push(...message.items.map(({ to }) => to));
  });
  outbox.push("busy", new Uint8Array(3));
  for (let i = 0; i < 64; i += 1) outbox.push("many", new Uint8Array(3));
  outbox.push("goes", new Uint8Array(3));
  outbox.dismiss("goes");
  for (let i = 0; i < 384; i += 1) outbox.push("many", new Uint8Array(3));
  outbox.flush();
  const end = order.indexOf("end goes");
  expect(end).toBeGreaterThan(order.indexOf("goes"));
  expect(end).toBeLessThan(order.length - 1);
});

test("what is flushed goes at once, however much went before, and what follows makes up for it", () => {
  push(42 * 64);
  clock.advance(milli(20));
  const before = posted.length;
  outbox.flush();
  expect(posted.flat()).toHaveLength(42 * 64);
  expect(posted.length).toBeGreaterThan(before);
  push(1);
  clock.advance(milli(100));
  expect(posted.flat(), "the rate is overdrawn").toHaveLength(42 * 64);
  clock.advance(milli(200));
  expect(posted.flat()).toHaveLength(42 * 64 + 1);
});

test("with nothing in it nothing is sent", () => {
  outbox.flush();
  push(1);
  outbox.flush();
  clock.advance(milli(100));
  expect(lengths()).toEqual([1]);
});
