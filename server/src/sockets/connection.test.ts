import type { Up } from "@sealcast/protocol";
import { milli } from "@sealcast/time";
import { describe, expect, test } from "vitest";
import { knockKey, newLink, token } from "../rooms/door.cases.ts";
import { nodeOf } from "../rooms/door.ts";
import { Backlog } from "./backlog.ts";
import { connect, enter, type FakeSocket, joined, joinOf, link, ping, prove } from "./connection.cases.ts";

const KIB = 1024;

/** The types of what the socket was sent, and the close code. */
const outcome = ({ sent, closedWith }: FakeSocket) => [...sent.map((text) => JSON.parse(text).type), closedWith];

const many = (count: number, fn: () => void) => {
  for (let i = 0; i < count; i++) fn();
};

test("60 messages at once are read on; past that the socket rests until 20 a second are kept, and nothing is lost", () => {
  const { socket, clock } = joined();
  many(58, () => socket.says(ping));
  expect(socket.isPaused).toBe(false);
  many(20, () => socket.says(ping));
  expect(socket.isPaused).toBe(true);
  clock.advance(milli(950));
  expect(socket.isPaused).toBe(true);
  clock.advance(milli(51));
  expect(socket.isPaused).toBe(false);
  expect([socket.sent.filter((text) => text.includes("pong")).length, socket.isTerminated]).toEqual([78, false]);
});

test.each(["message", "ping", "pong"])("a client that floods with a %s is dropped", (kind) => {
  const { socket, logged, traffic } = joined();
  const says = () => (kind === "message" ? socket.says(ping) : socket.emit(kind));
  many(58 + 256, says);
  expect(socket.isTerminated).toBe(false);
  many(10, says);
  expect(socket.isTerminated).toBe(true);
  expect(logged.filter(({ event }) => event === "socket-terminated")).toEqual([
    { event: "socket-terminated", why: "flooding" },
  ]);
  expect(traffic.messagesIn).toBeLessThanOrEqual(60 + 256);
});

test("20 messages a second never rest", () => {
  const { socket, clock } = joined();
  many(58, () => socket.says(ping));
  many(200, () => {
    clock.advance(milli(50));
    socket.says(ping);
  });
  expect(socket.isPaused).toBe(false);
});

test("a socket that closes while it rests is left alone after", () => {
  const { socket, clock } = joined();
  many(70, () => socket.says(ping));
  socket.emit("close", 1006);
  clock.advance(milli(10_000));
  expect(socket.isPaused).toBe(true);
});

test("an address that joined too often is asked to come again later, and is in no room", () => {
  const { open, logged } = connect({ visit: { mayJoin: (room) => room !== link.door } });
  const { socket } = open();
  socket.says(joinOf(prove(socket, "join")));
  expect(outcome(socket)).toEqual(["challenge", 1013]);
  expect(logged).toContainEqual({ event: "join-refused" });
});

describe("a door", () => {
  test("is proved by a signature for this use, this socket, this host and this door", () => {
    const { open } = connect();
    const { socket } = open();
    socket.says(joinOf(prove(socket, "join")));
    expect(outcome(socket)).toEqual(["challenge", "joined", "alone", null]);
  });

  test("is refused to a signature for anything else, and to a replayed one", () => {
    const { open, logged } = connect();
    const earlier = open().socket;
    const wrong = [
      (socket: FakeSocket) => prove(socket, "listen"),
      (socket: FakeSocket) => prove(socket, "later"),
      (socket: FakeSocket) => prove(socket, "join", { host: "evil.example" }),
      (socket: FakeSocket) => ({ ...prove(socket, "join", { by: newLink() }), door: link.door }),
      () => prove(earlier, "join"),
    ];
    for (const proof of wrong) {
      const { socket } = open();
      socket.says(joinOf(proof(socket)));
      expect(outcome(socket)).toEqual(["challenge", "fault", 1008]);
    }
    expect(logged).toEqual(wrong.map(() => ({ event: "fault", code: "refused-door" })));
  });

  test("each socket is asked to sign other bytes", () => {
    const { open } = connect();
    expect(open().socket.sent[0]).not.toBe(open().socket.sent[0]);
  });

  test("no signature is looked at past an address's share", () => {
    const { open } = connect({ visit: { mayJoin: () => false } });
    const { socket } = open();
    socket.says(joinOf(prove(socket, "listen")));
    expect(outcome(socket)).toEqual(["challenge", 1013]);
  });

  test("that is listened at is proved, too", () => {
    const { socket, open } = joined();
    const former = newLink();
    socket.says({ type: "listen", ...prove(socket, "listen", { by: former }) });
    const { socket: other } = open();
    other.says(joinOf(prove(other, "join", { by: former })));
    expect(outcome(other), "not alone: it is the same room").toEqual(["challenge", "joined", null]);
    socket.says({ type: "listen", ...prove(socket, "join", { by: newLink() }) });
    expect(outcome(socket).slice(-2)).toEqual(["fault", 1008]);
  });

  test("that a commit opens is proved, too, or the whole commit refused", () => {
    const { socket, open } = joined();
    const [at, next, later] = [nodeOf(token("epoch")), nodeOf(token("next")), newLink()];
    const commit = {
      type: "commit" as const,
      at,
      next,
      body: "commit",
      welcome: null,
      despite: [],
      knockKey: knockKey("next"),
    };
    socket.says({ ...commit, door: prove(socket, "join", { by: later }) });
    expect(JSON.parse(socket.sent.at(-1) ?? "")).toEqual({ type: "refused", at, successors: [] });
    socket.says({ ...commit, door: prove(socket, "later", { by: later }) });
    expect(JSON.parse(socket.sent.at(-1) ?? "")).toMatchObject({ type: "ordered", at, next });
    const { socket: other } = open();
    other.says(joinOf(prove(other, "join", { by: later })));
    expect(outcome(other)).toEqual(["challenge", "joined", null]);
  });

  test.each<Up>([{ type: "listen", door: link.door, signature: "A".repeat(86) }, enter, ping])(
    "a $type without a join is refused",
    (message) => {
      const { socket } = connect().open();
      socket.says(message);
      expect(outcome(socket)).toEqual(["challenge", "fault", 1008]);
    },
  );

  test("has its clients come again when its room becomes one with another", () => {
    const { socket, connection } = joined();
    connection.restart();
    expect(socket.closedWith).toBe(1012);
  });
});

test("from 256 KiB waiting on, heartbeats are left out and the rest is sent", () => {
  const { socket, enterNext, traffic } = joined();
  const { socket: other } = enterNext();
  socket.sent.length = 0;
  socket.bufferedAmount = 256 * KIB;
  other.says({ type: "beat", body: "heard" });
  socket.bufferedAmount++;
  other.says({ type: "beat", body: "unheard" });
  other.says({ type: "relay", body: "relayed" });
  expect(socket.sent.map((text) => JSON.parse(text).body)).toEqual(["heard", "relayed"]);
  expect([traffic.leftOut, socket.isTerminated]).toEqual([1, false]);
});

test("past 1 MiB waiting the socket is dropped", () => {
  const { socket, connection, logged } = joined();
  socket.bufferedAmount = 1024 * KIB;
  connection.send("last");
  expect(socket.isTerminated).toBe(false);
  socket.bufferedAmount++;
  connection.send("too much");
  expect([socket.isTerminated, socket.sent.includes("too much")]).toEqual([true, false]);
  expect(logged).toContainEqual({ event: "socket-terminated", why: "too-slow" });
});

test("past what may wait in all sockets together, the socket with most is dropped, and nothing more sent to it", () => {
  const { open, logged } = connect({ backlog: new Backlog(1_000) });
  const [slow, slower] = [open(), open()];
  slow.socket.bufferedAmount = 400;
  slow.connection.send("one");
  slower.socket.bufferedAmount = 601;
  slower.connection.send("too much");
  expect([slow.socket.isTerminated, slower.socket.isTerminated]).toEqual([false, true]);
  expect(slower.socket.sent).not.toContain("too much");
  expect(logged).toEqual([{ event: "socket-terminated", why: "too-slow" }]);
  slower.socket.emit("close", 1006);
  slow.socket.bufferedAmount = 1_000;
  slow.connection.send("another");
  expect(slow.socket.sent).toContain("another");
});

test("a socket that is gone waits for nothing", () => {
  const { open, logged } = connect({ backlog: new Backlog(1_000) });
  const [gone, other] = [open(), open()];
  gone.socket.bufferedAmount = 900;
  gone.connection.send("one");
  gone.socket.emit("close", 1006);
  other.socket.bufferedAmount = 200;
  other.connection.send("another");
  expect([other.socket.isTerminated, logged]).toEqual([false, []]);
});

test("a message that waits for 10 s drops the socket, however little it is", () => {
  const { socket, connection, clock } = joined();
  socket.bufferedAmount = 10;
  connection.send("waits");
  clock.advance(milli(9_999));
  expect(socket.isTerminated).toBe(false);
  clock.advance(milli(1));
  expect(socket.isTerminated).toBe(true);
});

test("a backlog that is taken in time starts a new count", () => {
  const { socket, connection, clock } = joined();
  many(3, () => {
    socket.bufferedAmount = 10;
    connection.send("waits");
    clock.advance(milli(9_999));
    socket.emit("pong");
    for (const taken of socket.taken.splice(0)) taken();
  });
  socket.bufferedAmount = 0;
  connection.send("at once");
  clock.advance(milli(10_000));
  expect([socket.isTerminated, socket.taken.length]).toEqual([false, 0]);
});

test("what passes is counted", () => {
  const { socket, traffic } = joined();
  const [messages, bytes] = [traffic.messagesIn, traffic.bytesIn];
  socket.says(ping);
  expect([traffic.messagesIn - messages, traffic.bytesIn - bytes]).toEqual([1, JSON.stringify(ping).length]);
  expect([traffic.messagesOut, traffic.bytesOut]).toEqual([socket.sent.length, socket.sent.join("").length]);
});
