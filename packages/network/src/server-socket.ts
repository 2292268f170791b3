import { type Down, parseDown, type Up } from "@sealcast/protocol";
import { type Cancel, type Clock, every, type Milli, milli, systemClock } from "@sealcast/time";
import { retryDelay } from "./retry.ts";

/** How often the socket is asked whether it lives, and how long the answer may take before it is replaced. */
const PING_GAP = milli(5_000);
const PONG_WITHIN = milli(8_000);
/** For a socket to open. */
const OPEN_WITHIN = milli(8_000);
/** For a socket to answer after the network changed. */
const WAKE_WITHIN = milli(2_000);
/** WebSocket's code for an end that is no failure. */
const NORMAL = 1_000;

export type RelayToken = Extract<Down, { type: "relay-token" }>;
export type TurnCredentials = Extract<Down, { type: "turn" }>;
export type LiveRelayGiven = Extract<Down, { type: "live-relay" }>;
export type Fault = Extract<Down, { type: "fault" }>;
type Entry = Extract<Up, { type: "join" | "host" | "watch" }>;

export interface SocketEvents {
  /** A new socket is open, and waits for `enter`. */
  challenge(nonce: string): void;
  /** Everything else that the server says, in order. */
  message(
    message: Exclude<Down, { type: "challenge" | "relay-token" | "turn" | "live-relay" | "pong" | "fault" }>,
  ): void;
  /** What was asked for with `relay-token`. */
  relayToken?(given: RelayToken): void;
  /** What was asked for with `turn`. */
  turn?(credentials: TurnCredentials): void;
  /** What was asked for with `live-relay`. */
  liveRelay?(given: LiveRelayGiven): void;
  status(status: "connected" | "reconnecting"): void;
  /** The server has answered a ping. */
  alive?(): void;
  /** The server said something that is no message of the protocol; its socket is replaced. */
  unreadable(): void;
  /** The server ended the socket. There is no reconnect, unless `isFinal` says that there is to be one. */
  fault(fault: Fault): void;
  /** Whether this fault ends the session, as every fault does where this is absent. */
  isFinal?(fault: Fault): boolean;
}

/** Faults that pass by themselves: the socket is opened again. */
const PASSING: ReadonlySet<Fault["code"]> = new Set(["idle", "too-slow", "not-joined"]);
const ENTERED: ReadonlySet<Down["type"]> = new Set(["joined", "hosting", "watching"]);
/** Who has joined a call may still find it full on entering. */
const SEATED: ReadonlySet<Down["type"]> = new Set(["entered", "hosting", "watching"]);

/** One socket at a time to the signalling server, opened again whenever it drops. What is sent meanwhile is lost. */
export class ServerSocket {
  readonly #url: string;
  readonly #events: SocketEvents;
  /** Null while the next one is waited for. */
  #socket: WebSocket | null = null;
  /** Ends what listens to the socket. */
  #listening = new AbortController();
  /** Until the next socket is tried; then until it has opened. */
  #cancelTimer: Cancel = () => undefined;
  /** Of the open socket, until it is answered. */
  #nonce: string | null = null;
  #entered = false;
  #isOver = false;
  /** Sockets that were tried since the server last let this client in. */
  #tries = 0;
  /** Faults that were not final, since it last had a seat. */
  #refusals = 0;
  #heard: Milli;
  readonly #clock: Clock;
  readonly #stopPinging: Cancel;

  constructor(url: string, events: SocketEvents, clock: Clock = systemClock) {
    this.#url = url;
    this.#events = events;
    this.#clock = clock;
    this.#heard = clock.now();
    this.#tryNext();
    this.#stopPinging = every(clock, PING_GAP, () => this.#ping());
  }

  /** Sends the first message, which answers this challenge; does nothing when the challenge is not the open socket's. */
  enter(nonce: string, entry: Entry): void {
    if (nonce !== this.#nonce) return;
    this.#nonce = null;
    this.#write(entry);
  }

  send(message: Up): void {
    if (this.#entered) this.#write(message);
  }

  /** The network changed, or the computer woke up: a socket that does not answer soon is replaced, and none is waited for. */
  wake(): void {
    if (this.#isOver) return;
    const socket = this.#socket;
    if (socket?.readyState === WebSocket.OPEN) {
      const asked = this.#clock.now();
      this.send({ type: "ping" });
      this.#clock.after(WAKE_WITHIN, () => socket === this.#socket && this.#heard < asked && this.#replace());
    } else {
      this.#cancelTimer();
      this.#drop();
      this.#open();
    }
  }

  /** Tells the server that this client goes, and closes. Works while a page is unloading. */
  close(): void {
    this.#isOver = true;
    this.#stopPinging();
    this.send({ type: "leave" });
    this.#cancelTimer();
    this.#drop();
  }

  #tryNext(): void {
    this.#cancelTimer = this.#clock.after(retryDelay(this.#tries++), () => this.#open());
  }

  #open(): void {
    const socket = new WebSocket(this.#url);
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    socket.addEventListener("open", () => this.#opened(), { signal });
    socket.addEventListener("message", (event) => this.#message(event.data), { signal });
    socket.addEventListener("close", () => this.#replace(), { signal });
    this.#socket = socket;
    this.#cancelTimer = this.#clock.after(OPEN_WITHIN, () => this.#replace());
  }

  #opened(): void {
    this.#cancelTimer();
    this.#heard = this.#clock.now();
  }

  /** The socket is lost or of no use: there will be another. */
  #replace(): void {
    if (this.#socket === null) return;
    this.#cancelTimer();
    this.#tryNext();
    this.#drop();
  }

  #drop(): void {
    if (this.#socket === null) return;
    this.#listening.abort();
    this.#socket.close(NORMAL);
    this.#socket = null;
    this.#nonce = null;
    this.#entered = false;
    this.#events.status("reconnecting");
  }

  #message(data: unknown): void {
    const parsed = parseDown(typeof data === "string" ? data : "");
    if (!parsed.ok) return this.#unreadable();
    this.#heard = this.#clock.now();
    const message = parsed.value;
    if (message.type === "pong") return this.#events.alive?.();
    if (message.type === "relay-token") return this.#events.relayToken?.(message);
    if (message.type === "turn") return this.#events.turn?.(message);
    if (message.type === "live-relay") return this.#events.liveRelay?.(message);
    if (message.type === "fault") return this.#fault(message);
    if (message.type === "challenge") return this.#challenged(message.nonce);
    if (SEATED.has(message.type)) this.#refusals = 0;
    if (ENTERED.has(message.type)) this.#letIn();
    this.#events.message(message);
  }

  #letIn(): void {
    this.#entered = true;
    this.#tries = 1 + this.#refusals;
    this.#events.status("connected");
  }

  #challenged(nonce: string): void {
    this.#nonce = nonce;
    this.#events.challenge(nonce);
  }

  /** A server that does not speak the protocol is of no use: take a fresh socket. */
  #unreadable(): void {
    this.#events.unreadable();
    this.#replace();
  }

  #fault(fault: Fault): void {
    if (PASSING.has(fault.code)) return;
    const isFinal = this.#events.isFinal?.(fault) ?? true;
    if (isFinal) this.close();
    this.#events.fault(fault);
    if (isFinal) return;
    this.#refusals++;
    this.#replace();
  }

  #ping(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    if (this.#clock.now() - this.#heard > PONG_WITHIN) this.#replace();
    else this.send({ type: "ping" });
  }

  #write(message: Up): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
