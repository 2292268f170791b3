import { EventEmitter } from "node:events";
import { PROTOCOL_VERSION, type Up } from "@sealcast/protocol";
import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { Allowance } from "./allowance.ts";
import { Connection } from "./connection.ts";
import type { Event } from "./log.ts";
import { Metrics } from "./metrics.ts";
import { Rooms, randomId } from "./rooms.ts";

const KIB = 1024;

/** A socket whose network takes what it is told to take. */
class FakeSocket extends EventEmitter {
  bufferedAmount = 0;
  isPaused = false;
  readonly sent: string[] = [];
  /** Called when what was sent while something waited is taken. */
  readonly taken: (() => void)[] = [];
  closedWith: number | null = null;
  isTerminated = false;

  send(text: string, taken?: () => void): void {
    this.sent.push(text);
    if (taken) this.taken.push(taken);
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  close(code: number): void {
    this.closedWith = code;
  }
  terminate(): void {
    this.isTerminated = true;
  }
  ping(): void {}

  says(message: Up): void {
    this.emit("message", Buffer.from(JSON.stringify(message)), false);
  }
}

function connect({ mayJoin = () => true }: { mayJoin?: (room: string) => boolean } = {}) {
  const clock = new ManualClock();
  const rooms = new Rooms({ clock, randomId, stunPort: null, allowance: new Allowance() });
  const { traffic } = new Metrics();
  const logged: Event[] = [];
  const open = () => {
    const socket = new FakeSocket();
    const log = (event: Event) => void logged.push(event);
    const options = { rooms, clock, log, traffic, visit: { mayJoin }, settled: () => {} };
    const connection = new Connection(socket as unknown as WebSocket, options);
    return { socket, connection };
  };
  return { clock, open, logged, traffic };
}

const join: Up = {
  type: "join",
  version: PROTOCOL_VERSION,
  room: "r".repeat(22),
  resume: null,
  state: { epoch: 1, authenticator: null },
};

/** A socket in a room, whose join was its first message. */
function joined() {
  const connected = connect();
  const { socket, connection } = connected.open();
  socket.says(join);
  return { ...connected, socket, connection };
}

const ping: Up = { type: "ping" };
const many = (count: number, fn: () => void) => {
  for (let i = 0; i < count; i++) fn();
};

test("60 messages at once are read on; past that the socket rests until 20 a second are kept, and nothing is lost", () => {
  const { socket, clock } = joined();
  many(59, () => socket.says(ping));
  expect(socket.isPaused).toBe(false);
  many(20, () => socket.says(ping));
  expect(socket.isPaused).toBe(true);
  clock.advance(milli(950));
  expect(socket.isPaused).toBe(true);
  clock.advance(milli(51));
  expect(socket.isPaused).toBe(false);
  expect([socket.sent.length, socket.isTerminated]).toEqual([80, false]);
});

test.each(["message", "ping", "pong"])("whoever floods with a %s is dropped", (kind) => {
  const { socket, logged, traffic } = joined();
  const says = () => (kind === "message" ? socket.says(ping) : socket.emit(kind));
  many(59 + 256, says);
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
  many(59, () => socket.says(ping));
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

test("an address that joined too often is told to come again later, and is in no room", () => {
  const { open, logged } = connect({ mayJoin: (room) => room !== join.room });
  const { socket } = open();
  socket.says(join);
  expect([socket.closedWith, socket.sent]).toEqual([1013, []]);
  expect(logged).toContainEqual({ event: "join-refused" });
});

test("from 256 KiB waiting on, heartbeats are left out and the rest is sent", () => {
  const { socket, open, traffic } = joined();
  const { socket: other } = open();
  other.says(join);
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

test("a message that waits for 10 s drops the socket, however little it is", () => {
  const { socket, connection, clock } = joined();
  socket.bufferedAmount = 10;
  connection.send("waits");
  clock.advance(milli(9_999));
  expect(socket.isTerminated).toBe(false);
  clock.advance(milli(1));
  expect(socket.isTerminated).toBe(true);
});

test("a backlog that is taken in time counts anew", () => {
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
