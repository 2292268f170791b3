import { type Down, MAX_ENTRY, parseUp, type Up } from "@sealcast/protocol";
import { type Cancel, type Clock, type Milli, milli, type Rate, TokenBucket } from "@sealcast/time";
import type { RawData, WebSocket } from "ws";
import type { Bus } from "../bus/bus.ts";
import type { Budget, Log } from "../log.ts";
import type { Traffic } from "../metrics.ts";
import { randomText } from "../random.ts";
import { isSignedByDoor, role, type SocketChallenge } from "../rooms/door.ts";
import { refuseSeat } from "../rooms/live-room.ts";
import { nameOf } from "../rooms/rooms.ts";
import { type FaultCode, type FirstMessage, handOver, isFirst, type RoomSocket, type Seat } from "../rooms/seat.ts";
import type { Visit } from "./addresses.ts";
import type { Backlog, Waiting } from "./backlog.ts";

/** A socket that has not joined a room by then is closed. */
const TIME_TO_JOIN = milli(5_000);
const PING_EVERY = milli(25_000);
/** Since the last pong: the next ping went out after 25 s and has 8 s to be answered. */
const SILENT = milli(25_000 + 8_000);
/** In bytes not yet taken by the network. */
const MAX_BACKLOG = 1024 * 1024;
/** From this many on, what its sender sends again is left out. */
const BUSY_BACKLOG = 256 * 1024;
/** How long a message may wait for the network. */
const MAX_WAIT = milli(10_000);
/** Messages, pings and pongs. */
const RATE: Rate = { burst: 60, perSecond: 20 };
/** In characters of messages: descriptions for all of a large call at once, then eight of the longest `relay` in a second. */
const SIZE: Rate = { burst: 4 * 1024 * 1024, perSecond: 512 * 1024 };
/** Signatures to be looked at (see [Note: Proof of a door]): that of the entry, of all former doors, and of now and then a commit. */
const SIGNATURES: Rate = { burst: 20, perSecond: 1 };
/** Past the rate a socket is read no further for a while. What was read at once with the last message may go on to this. */
const MAX_OVERDRAFT = 256;

/** RFC 6455, section 7.4.1, and the registry of its codes: the service restarts, come again later. */
const closeCode = { normal: 1000, policy: 1008, tooBig: 1009, restart: 1012, tryLater: 1013 } as const;

const entryRole = { join: role.join, watch: role.watch, host: role.host } as const;

export interface ConnectionOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly traffic: Traffic;
  /** Shared by all sockets. */
  readonly backlog: Backlog;
  readonly visit: Pick<Visit, "mayJoin" | "bytes" | "kept" | "network">;
  /** The `Host` header of the socket's request, in lower case. */
  readonly host: string;
  /** Called once: the socket has joined a room, or closed before. */
  readonly settled: () => void;
}

/** One client's socket: it joins one room, then passes messages both ways until either side closes. */
export class Connection implements RoomSocket, Waiting {
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #challenge: SocketChallenge;
  #seat: Seat | null = null;
  readonly #messages: TokenBucket;
  readonly #size: TokenBucket;
  readonly #signatures: TokenBucket;
  #isClosing = false;
  #isTerminated = false;
  #isWaiting = false;
  #stopJoinTimer: Cancel;
  #stopPing: Cancel;
  #stopSilence: Cancel;
  #stopWait: Cancel = () => {};
  #stopRest: Cancel = () => {};

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#messages = new TokenBucket(RATE, options.clock);
    this.#size = new TokenBucket(SIZE, options.clock);
    this.#signatures = new TokenBucket(SIGNATURES, options.clock);
    this.#stopJoinTimer = options.clock.after(TIME_TO_JOIN, () => this.fault("idle", "the first message is late"));
    this.#stopSilence = this.#expectPong();
    this.#stopPing = this.#schedulePing();
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("pong", () => {
      this.#stopSilence();
      this.#stopSilence = this.#expectPong();
      this.#counted();
    });
    // Each is answered, by ws itself.
    socket.on("ping", () => this.#counted() && this.#isTooSlow());
    // What breaks the WebSocket protocol, or its limits, is answered and closed by ws itself.
    socket.on("error", () => {});
    socket.on("close", () => this.#closed());
    this.#challenge = { host: options.host, nonce: randomText(32) };
    this.send(JSON.stringify({ type: "challenge", nonce: this.#challenge.nonce } satisfies Down));
  }

  get network(): string {
    return this.#options.visit.network;
  }

  charge(characters: number): void {
    for (const bucket of this.#options.visit.bytes) bucket.take(characters);
  }

  get backlog(): number {
    return this.#socket.bufferedAmount;
  }

  giveUp(): void {
    this.#terminate("too-slow");
  }

  send(text: string): void {
    this.#options.backlog.note(this);
    if (this.#isTerminated || this.#isTooSlow()) return;
    const { traffic } = this.#options;
    traffic.messagesOut++;
    traffic.bytesOut += text.length;
    if (this.#isWaiting || this.backlog === 0) this.#socket.send(text);
    else this.#sendWaiting(text);
  }

  offer(text: string): void {
    if (this.backlog <= BUSY_BACKLOG) this.send(text);
    else this.#options.traffic.leftOut++;
  }

  close(): void {
    this.#closeWith(closeCode.normal);
  }

  restart(): void {
    this.#closeWith(closeCode.restart);
  }

  fault(code: FaultCode, message: string): void {
    this.#options.log({ event: "fault", code });
    this.send(JSON.stringify({ type: "fault", code, message } satisfies Down));
    this.#closeWith(code === "too-large" ? closeCode.tooBig : closeCode.policy);
  }

  #receive(data: RawData, isBinary: boolean): void {
    const { clock, traffic, visit } = this.#options;
    const since = clock.now();
    if (!this.#keepsRate(since)) return;
    if (isBinary) return this.fault("malformed", "messages are text");
    const text = data.toString();
    traffic.messagesIn++;
    traffic.bytesIn += text.length;
    this.#size.take(text.length, since);
    for (const bucket of visit.bytes) bucket.take(text.length, since);
    this.#read(text);
    this.#restIfOver(since);
    traffic.dwell.observe((clock.now() - since) / 1000);
  }

  #read(text: string): void {
    if (!this.#seat && text.length > MAX_ENTRY) return this.fault("too-large", `over ${MAX_ENTRY} characters`);
    const parsed = parseUp(text);
    if (parsed.ok) this.#handle(parsed.value);
    else this.fault(parsed.why, parsed.message);
  }

  #handle(message: Up): void {
    if (isFirst(message)) return this.#enter(message);
    if (!this.#seat) return this.fault("not-joined", "the first message is a join");
    if (message.type === "listen") {
      if (this.#signatures.take() < 0) return;
      if (!this.#isSigned(message, role.listen)) return this.#refuseDoor();
    }
    if (message.type === "commit" && message.door && !this.#mayOpen(message.door)) {
      return this.send(JSON.stringify({ type: "refused", at: message.at, successors: [] } satisfies Down));
    }
    handOver(message, this.#seat, this);
  }

  #mayOpen(door: { door: string; signature: string }): boolean {
    return this.#signatures.take() >= 0 && this.#isSigned(door, role.later);
  }

  #enter(message: FirstMessage): void {
    if (this.#seat) return this.fault("malformed", "a socket joins once");
    if (!this.#options.visit.mayJoin(nameOf(message))) return this.#refuseJoin();
    const { signature } = message;
    if (!this.#isSigned({ door: doorOf(message), signature }, entryRole[message.type])) return this.#refuseDoor();
    const seat = this.#options.bus.enter(message, this, this.#options.visit.kept);
    if (seat === null || typeof seat === "string") return refuseSeat(seat, this);
    this.#seat = seat;
    this.#stopJoinTimer();
    this.#options.settled();
  }

  /** No fault: to come again later is all that there is to do. */
  #refuseJoin(): void {
    this.#options.log({ event: "join-refused" });
    this.#closeWith(closeCode.tryLater);
  }

  #refuseDoor(): void {
    this.fault("refused-door", "the signature is not this door's");
  }

  #isSigned({ door, signature }: { door: string; signature: string }, use: (typeof role)[keyof typeof role]): boolean {
    return isSignedByDoor({ door, signature, role: use }, this.#challenge);
  }

  #closeWith(code: number): void {
    this.#isClosing = true;
    this.#socket.close(code);
  }

  #closed(): void {
    this.#isClosing = true;
    this.#options.backlog.forget(this);
    const timers = [this.#stopJoinTimer, this.#stopPing, this.#stopSilence, this.#stopWait, this.#stopRest];
    for (const stop of timers) stop();
    if (this.#seat) this.#seat.drop();
    else this.#options.settled();
  }

  /** False when the socket ends, for this or anything else. */
  #keepsRate(now: Milli): boolean {
    if (this.#isClosing) return false;
    if (this.#messages.take(1, now) >= -MAX_OVERDRAFT) return true;
    this.#terminate("flooding");
    return false;
  }

  /** A ping or pong. False when the socket ends. */
  #counted(): boolean {
    const now = this.#options.clock.now();
    if (!this.#keepsRate(now)) return false;
    this.#restIfOver(now);
    return true;
  }

  #restIfOver(now: Milli): void {
    if (this.#isClosing || this.#socket.isPaused || this.#overdrawnFor(now) === 0) return;
    this.#options.log({ event: "socket-rests", budget: this.#overdrawn() });
    this.#rest();
  }

  /** Reads no further until nothing is overdrawn: the network holds the client up, and nothing is lost. */
  #rest(): void {
    const { clock } = this.#options;
    this.#socket.pause();
    this.#stopRest = clock.after(milli(this.#overdrawnFor(clock.now())), () => {
      if (this.#overdrawnFor(clock.now()) > 0) this.#rest();
      else this.#socket.resume();
    });
  }

  /** Milliseconds, of the budget that is overdrawn for longest. */
  #overdrawnFor(now: Milli): number {
    const ofRoom = this.#seat?.overdrawnFor(now) ?? 0;
    let most = Math.max(this.#messages.overdrawnFor(now), this.#size.overdrawnFor(now), ofRoom);
    for (const bucket of this.#options.visit.bytes) most = Math.max(most, bucket.overdrawnFor(now));
    return most;
  }

  #overdrawn(): Budget {
    if (this.#messages.overdrawnFor() > 0) return "messages";
    if (this.#size.overdrawnFor() > 0) return "socket";
    return this.#options.visit.bytes.some((bucket) => bucket.overdrawnFor() > 0) ? "address" : "room";
  }

  /** There is a backlog: this message tells when what stands before it has gone. */
  #sendWaiting(text: string): void {
    this.#isWaiting = true;
    this.#stopWait = this.#options.clock.after(MAX_WAIT, () => this.#terminate("too-slow"));
    this.#socket.send(text, () => {
      this.#isWaiting = false;
      this.#stopWait();
    });
  }

  #isTooSlow(): boolean {
    const isTooSlow = this.backlog > MAX_BACKLOG;
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

  #terminate(why: "silent" | "too-slow" | "flooding"): void {
    this.#isClosing = true;
    this.#isTerminated = true;
    this.#options.log({ event: "socket-terminated", why });
    this.#socket.terminate();
  }
}

const doorOf = (message: FirstMessage): string => (message.type === "host" ? message.key : message.door);
