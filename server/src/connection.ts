import { type Down, parseUp, type Up } from "@sealcast/protocol";
import { type Cancel, type Clock, milli } from "@sealcast/time";
import type { RawData, WebSocket } from "ws";
import type { LiveOutlet } from "./live-room.ts";
import type { Log } from "./log.ts";
import type { Seat, Sent } from "./room.ts";
import type { Rooms } from "./rooms.ts";

/** A socket that has not joined a room by then is closed. */
const TIME_TO_JOIN = milli(5_000);
const PING_EVERY = milli(25_000);
/** Since the last pong: the next ping went out after 25 s and has 8 s to be answered. */
const SILENT = milli(25_000 + 8_000);
/** In bytes not yet taken by the network. */
const MAX_BACKLOG = 1024 * 1024;
/** From so many on, what its sender sends again is left out. */
const BUSY_BACKLOG = 256 * 1024;

/** RFC 6455, section 7.4.1. */
const closeCode = { normal: 1000, policy: 1008, tooBig: 1009 } as const;

type Entry = Sent<"join" | "host" | "watch">;
type FaultCode = Extract<Down, { type: "fault" }>["code"];

export interface ConnectionOptions {
  readonly rooms: Rooms;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once: the socket has joined a room, or closed before. */
  readonly settled: () => void;
}

/** One client's socket: it joins one room, then passes messages both ways until either side closes. */
export class Connection implements LiveOutlet {
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  #seat: Seat | null = null;
  #isClosing = false;
  #stopJoinTimer: Cancel;
  #stopPing: Cancel;
  #stopSilence: Cancel;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#stopJoinTimer = options.clock.after(TIME_TO_JOIN, () => this.fault("idle", "the first message is late"));
    this.#stopSilence = this.#expectPong();
    this.#stopPing = this.#schedulePing();
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("pong", () => {
      this.#stopSilence();
      this.#stopSilence = this.#expectPong();
    });
    socket.on("ping", () => this.#isTooSlow());
    // What breaks the WebSocket protocol, or its limits, is answered and closed by ws itself.
    socket.on("error", () => {});
    socket.on("close", () => this.#closed());
  }

  send(text: string): void {
    if (!this.#isTooSlow()) this.#socket.send(text);
  }

  offer(text: string): void {
    if (this.#socket.bufferedAmount <= BUSY_BACKLOG) this.send(text);
  }

  close(): void {
    this.#closeWith(closeCode.normal);
  }

  fault(code: FaultCode, message: string): void {
    this.#options.log({ event: "fault", code });
    this.send(JSON.stringify({ type: "fault", code, message } satisfies Down));
    this.#closeWith(code === "too-large" ? closeCode.tooBig : closeCode.policy);
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#isClosing) return;
    if (isBinary) return this.fault("malformed", "messages are text");
    const parsed = parseUp(data.toString());
    if (!parsed.ok) return this.fault(parsed.why, parsed.message);
    const message = parsed.value;
    if (isEntry(message)) return this.#enter(message);
    if (!this.#seat) return this.fault("not-joined", "the first message is a join");
    if (!this.#seat.handle(message)) this.fault("malformed", "not a message for this room");
  }

  #enter(message: Entry): void {
    if (this.#seat) return this.fault("malformed", "a socket joins once");
    this.#seat = this.#seatFor(message);
    if (!this.#seat) {
      if (message.type === "host") return this.fault("taken", "another host holds this room");
      return this.fault("room-full", "the room is full");
    }
    this.#stopJoinTimer();
    this.#options.settled();
  }

  #seatFor(message: Entry): Seat | null {
    const { rooms } = this.#options;
    if (message.type === "join") return rooms.join(message, this);
    return message.type === "host" ? rooms.host(message, this) : rooms.watch(message, this);
  }

  #closeWith(code: number): void {
    this.#isClosing = true;
    this.#socket.close(code);
  }

  #closed(): void {
    this.#isClosing = true;
    for (const stop of [this.#stopJoinTimer, this.#stopPing, this.#stopSilence]) stop();
    if (this.#seat) this.#seat.drop();
    else this.#options.settled();
  }

  #isTooSlow(): boolean {
    const isTooSlow = this.#socket.bufferedAmount > MAX_BACKLOG;
    if (isTooSlow) this.#terminate("too-slow");
    return isTooSlow;
  }

  #schedulePing(): Cancel {
    return this.#options.clock.after(PING_EVERY, () => {
      this.#socket.ping();
      this.#stopPing = this.#schedulePing();
    });
  }

  #expectPong(): Cancel {
    return this.#options.clock.after(SILENT, () => this.#terminate("silent"));
  }

  #terminate(why: "silent" | "too-slow"): void {
    this.#options.log({ event: "socket-terminated", why });
    this.#socket.terminate();
  }
}

function isEntry(message: Up): message is Entry {
  return message.type === "join" || message.type === "host" || message.type === "watch";
}
