import { EventEmitter } from "node:events";
import { type Down, PROTOCOL_VERSION, type Up } from "@sealcast/protocol";
import { ManualClock } from "@sealcast/time";
import type { WebSocket } from "ws";
import type { Event } from "../log.ts";
import { Metrics } from "../metrics.ts";
import { randomId } from "../random.ts";
import { type Link, newLink, token } from "../rooms/door.cases.ts";
import { Rooms } from "../rooms/rooms.ts";
import type { Visit } from "./addresses.ts";
import { Allowance } from "./allowance.ts";
import { Backlog } from "./backlog.ts";
import { Connection } from "./connection.ts";

/** A socket whose network takes as many bytes as the test says. */
export class FakeSocket extends EventEmitter {
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

interface Surroundings {
  readonly clock?: ManualClock;
  readonly backlog?: Backlog;
  readonly visit?: Partial<Visit>;
}

export function connect({ clock = new ManualClock(), backlog = new Backlog(), visit: limited }: Surroundings = {}) {
  const visit = { mayJoin: () => true, bytes: [], kept: new Allowance(), network: "", ...limited };
  const rooms = new Rooms({
    clock,
    randomId,
    stunPort: null,
    relay: null,
    liveRelays: null,
    turn: null,
    dropped: () => {},
  });
  const { traffic } = new Metrics();
  const logged: Event[] = [];
  const open = () => {
    const socket = new FakeSocket();
    const log = (event: Event) => void logged.push(event);
    const options = { bus: rooms, clock, log, traffic, backlog, visit, host: "example.org", settled: () => {} };
    const connection = new Connection(socket as unknown as WebSocket, options);
    return { socket, connection };
  };
  return { clock, open, logged, traffic };
}

export const link = newLink();
export const ping: Up = { type: "ping" };
export const enter: Up = { type: "enter", token: token("epoch"), knockKey: null };

/** What this socket is to say of a link, as its page on this host would. */
export function prove(
  { sent }: FakeSocket,
  use: Parameters<Link["prove"]>[0],
  { by = link, host = "example.org" } = {},
) {
  const challenge = JSON.parse(sent[0] ?? "") as Extract<Down, { type: "challenge" }>;
  return by.prove(use, { host, nonce: challenge.nonce });
}

export const joinOf = (proof: ReturnType<typeof prove>): Up => ({
  type: "join",
  version: PROTOCOL_VERSION,
  ...proof,
  resume: null,
});

/** A socket inside a group, whose first two messages were `join` and `enter`. */
export function joined() {
  const connected = connect();
  const enterNext = () => {
    const { socket, connection } = connected.open();
    socket.says(joinOf(prove(socket, "join")));
    socket.says(enter);
    return { socket, connection };
  };
  return { ...connected, ...enterNext(), enterNext };
}
