import { type Down, type Head, PROTOCOL_VERSION, parseDown, type Up } from "@sealcast/protocol";
import { WebSocket as ReconnectingSocket } from "partysocket";

/** How often the socket is asked whether it lives, and how long the answer may take before it is replaced. */
const PING_EVERY_MS = 5_000;
const PONG_WITHIN_MS = 8_000;
/** First wait before a reconnect, spread so that a restarted server is not met by everyone at once. */
const FIRST_RETRY_MS = 200;
const RETRY_SPREAD_MS = 600;
const LAST_RETRY_MS = 12_000;

type JoinedRoom = Extract<Down, { type: "joined" }>;
export type RoomEvent = Exclude<Down, { type: "pong" | "fault" }>;
export type Fault = Extract<Down, { type: "fault" }>;

interface SignallingEvents {
  /** Messages of the room in the room's order; `joined` first, again after every reconnect. */
  event(event: RoomEvent): void;
  status(status: "connected" | "reconnecting"): void;
  /** The server ends the session; there is no reconnect. */
  fault(fault: Fault): void;
}

/** Faults that pass by themselves: the socket is opened again. */
const PASSING: ReadonlySet<Fault["code"]> = new Set(["idle", "too-slow", "not-joined"]);

/**
 * The way to the signalling server: one room, one socket at a time, opened again whenever it drops. What is sent while
 * it is down is lost: group messages are sent again by their owner once `joined` comes.
 */
export class Signalling {
  readonly #socket: ReconnectingSocket;
  readonly #events: SignallingEvents;
  readonly #room: string;
  readonly #head: () => Head | null;
  #resume: { token: string; seq: number } | null = null;
  #joined = false;
  #heard = 0;
  readonly #pinging: ReturnType<typeof setInterval>;

  /** `head` says where this member's group stands at the time of each join. */
  constructor(url: string, room: string, head: () => Head | null, events: SignallingEvents) {
    this.#events = events;
    this.#room = room;
    this.#head = head;
    this.#socket = new ReconnectingSocket(url, [], {
      minReconnectionDelay: FIRST_RETRY_MS + Math.random() * RETRY_SPREAD_MS,
      maxReconnectionDelay: LAST_RETRY_MS,
      maxEnqueuedMessages: 0,
      connectionTimeout: PONG_WITHIN_MS,
    });
    this.#socket.addEventListener("open", () => this.#open());
    this.#socket.addEventListener("message", (event) => this.#message(event.data));
    this.#socket.addEventListener("close", () => this.#down());
    this.#pinging = setInterval(() => this.#ping(), PING_EVERY_MS);
  }

  send(message: Up): void {
    if (this.#joined) this.#write(message);
  }

  /** Tells the server that this member goes, and closes. Works while a page is unloading. */
  close(): void {
    clearInterval(this.#pinging);
    if (this.#joined) this.#write({ type: "leave" });
    this.#socket.close();
  }

  #open(): void {
    this.#heard = performance.now();
    this.#write({
      type: "join",
      version: PROTOCOL_VERSION,
      room: this.#room,
      resume: this.#resume,
      state: this.#head(),
    });
  }

  #message(data: unknown): void {
    const parsed = parseDown(typeof data === "string" ? data : "");
    // A server that does not speak the protocol is of no use: take a fresh socket.
    if (!parsed.ok) return this.#socket.reconnect();
    this.#heard = performance.now();
    const message = parsed.value;
    if (message.type === "pong") return;
    if (message.type === "fault") return this.#fault(message);
    if (message.type === "joined") this.#admit(message);
    else if ("seq" in message && this.#resume !== null) this.#resume.seq = message.seq;
    this.#events.event(message);
  }

  #admit(joined: JoinedRoom): void {
    this.#joined = true;
    this.#resume = { token: joined.token, seq: joined.seq };
    this.#events.status("connected");
  }

  #fault(fault: Fault): void {
    if (PASSING.has(fault.code)) return;
    this.close();
    this.#events.fault(fault);
  }

  #down(): void {
    this.#joined = false;
    this.#events.status("reconnecting");
  }

  #ping(): void {
    if (!this.#joined) return;
    if (performance.now() - this.#heard > PONG_WITHIN_MS) this.#socket.reconnect();
    else this.#write({ type: "ping" });
  }

  #write(message: Up): void {
    this.#socket.send(JSON.stringify(message));
  }
}
