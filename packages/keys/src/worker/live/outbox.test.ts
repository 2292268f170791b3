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

/** So much has gone out that what comes waits for some 200 ms. */
const overdraw = () => {
  push(42 * 64);
  outbox.flush();
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
  const sizes = [...Array(4).fill(36 * 1024), 3, ...Array(3).fill(36 * 1024), 36 * 1024 - 3, 3];
  for (const [i, size] of sizes.entries()) outbox.push(`viewer ${i}`, new Uint8Array(size));
  clock.advance(milli(20));
  expect(lengths()).toEqual([4, 5, 1]);
});

test("with an answer its viewer is accepted, and with nothing else", () => {
  const accepted: string[][] = [];
  outbox = new LiveOutbox(clock, (message) => {
    if (message.type === "deliver") accepted.push(message.accept);
  });
  outbox.push("first", new Uint8Array(3), "answer");
  for (let i = 0; i < 64; i += 1) outbox.push("again", new Uint8Array(3), i % 2 === 0 ? "answer" : "other");
  outbox.push("last", new Uint8Array(3), "answer");
  outbox.push("other", new Uint8Array(3));
  clock.advance(milli(20));
  expect(accepted.map((viewers) => viewers.toSorted())).toEqual([["first"], ["again", "last"], []]);
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

test("something for a viewer waits until it has left, or is forgotten", () => {
  busy();
  for (const [viewer, as] of [
    ["calm", "other"],
    ["urgent", "urgent"],
    ["asks", "answer"],
    ["gone", "answer"],
  ] as const)
    outbox.push(viewer, new Uint8Array(3), as);
  outbox.push("calm", new Uint8Array(3));
  outbox.forget("gone");
  const waiting = () => ["calm", "urgent", "asks", "gone"].filter((viewer) => outbox.isWaiting(viewer));
  const answering = () => ["calm", "urgent", "asks", "gone"].filter((viewer) => outbox.isAnswering(viewer));
  expect([waiting(), answering()]).toEqual([["calm", "urgent", "asks"], ["asks"]]);
  clock.advance(milli(20));
  expect([waiting(), answering()]).toEqual([[], []]);
  expect(posted.flat().map(({ to }) => to)).toEqual(["urgent", "asks", "calm", "calm"]);
});

test("what is urgent goes before what others wait for, but not before what was said to the same viewer", () => {
  overdraw();
  push(640, 6);
  outbox.push("viewer 639", new Uint8Array(9), "urgent");
  for (const size of [12, 15]) outbox.push("nothing else", new Uint8Array(size), "urgent");
  outbox.push("nothing else", new Uint8Array(3));
  clock.advance(milli(5_000));
  const said = posted.flat().map(({ to, body }) => `${to}: ${body.length}`);
  expect(said.slice(0, 3)).toEqual(["nothing else: 16", "nothing else: 20", "viewer 0: 8"]);
  expect(said.slice(-3)).toEqual(["viewer 639: 8", "viewer 639: 12", "nothing else: 4"]);
  expect(said, "nothing goes twice").toHaveLength(644);
});

test("nothing goes past what is urgent for the same viewer, where that is too long for the same message", () => {
  overdraw();
  for (const size of [140_000, 10_000]) outbox.push("viewer", new Uint8Array(size), "urgent");
  outbox.push("viewer", new Uint8Array(3));
  clock.advance(milli(5_000));
  expect(posted.flat().map(({ body }) => body.length)).toEqual([186_667, 13_334, 4]);
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
  overdraw();
  push(64);
  outbox.push("goes", new Uint8Array(3));
  outbox.dismiss("goes");
  push(384);
  clock.advance(milli(5_000));
  const end = order.indexOf("end goes");
  expect(end).toBeGreaterThan(order.indexOf("goes"));
  expect(end).toBeLessThan(order.length - 1);
});

test("what is flushed goes at once, however much went before, and what follows makes up for it", () => {
  overdraw();
  push(5 * 64);
  expect(posted).toEqual([]);
  outbox.flush();
  expect(lengths()).toEqual(Array(5).fill(64));
  push(1);
  clock.advance(milli(300));
  expect(lengths(), "the rate is overdrawn").toEqual(Array(5).fill(64));
  clock.advance(milli(1_000));
  expect(posted.flat()).toHaveLength(5 * 64 + 1);
});

test("with nothing in it nothing is sent", () => {
  outbox.flush();
  push(1);
  outbox.flush();
  clock.advance(milli(100));
  expect(lengths()).toEqual([1]);
});
