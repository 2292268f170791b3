import { type Down, parseDown, type Up } from "@sealcast/protocol";
import { WebSocket as ReconnectingSocket } from "partysocket";
import { retryDelay } from "./retry.ts";

/** How often the socket is asked whether it lives, and how long the answer may take before it is replaced. */
const PING_EVERY_MS = 5_000;
const PONG_WITHIN_MS = 8_000;

export type Fault = Extract<Down, { type: "fault" }>;
type Entry = Extract<Up, { type: "join" | "host" | "watch" }>;

export interface SocketEvents {
  /** What opens each new socket. */
  entry(): Entry;
  /** Everything that the server says but `pong` and `fault`, in order. */
  message(message: Exclude<Down, { type: "pong" | "fault" }>): void;
  status(status: "connected" | "reconnecting"): void;
  /** The server has answered a ping. */
  alive?(): void;
  /** The server said something that is no message of the protocol; its socket is replaced. */
  unreadable(): void;
  /** The server ends the session; there is no reconnect. */
  fault(fault: Fault): void;
}

/** Faults that pass by themselves: the socket is opened again. */
const PASSING: ReadonlySet<Fault["code"]> = new Set(["idle", "too-slow", "not-joined"]);
const ENTERED: ReadonlySet<Down["type"]> = new Set(["joined", "hosting", "watching"]);

/** One socket at a time to the signalling server, opened again whenever it drops. What is sent meanwhile is lost. */
export class ServerSocket {
  readonly #socket: ReconnectingSocket;
  readonly #events: SocketEvents;
  #entered = false;
  /** Sockets that were tried since the server last let this client in. */
  #tries = 0;
  #heard = 0;
  readonly #pinging: ReturnType<typeof setInterval>;

  constructor(url: string, events: SocketEvents) {
    this.#events = events;
    const turn = async () => {
      const wait = retryDelay(this.#tries++);
      if (wait > 0) await new Promise<void>((done) => setTimeout(done, wait));
      return url;
    };
    this.#socket = new ReconnectingSocket(turn, [], {
      // The wait is ours: what it offers grows, but is the same for everybody whom a restarted server lost at once.
      minReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      maxEnqueuedMessages: 0,
      connectionTimeout: PONG_WITHIN_MS,
    });
    this.#socket.addEventListener("open", () => this.#open());
    this.#socket.addEventListener("message", (event) => this.#message(event.data));
    this.#socket.addEventListener("close", () => this.#down());
    this.#pinging = setInterval(() => this.#ping(), PING_EVERY_MS);
  }

  send(message: Up): void {
    if (this.#entered) this.#write(message);
  }

  /** Tells the server that this client goes, and closes. Works while a page is unloading. */
  close(): void {
    clearInterval(this.#pinging);
    this.send({ type: "leave" });
    this.#socket.close();
  }

  #open(): void {
    this.#heard = performance.now();
    this.#write(this.#events.entry());
  }

  #message(data: unknown): void {
    const parsed = parseDown(typeof data === "string" ? data : "");
    if (!parsed.ok) return this.#unreadable();
    this.#heard = performance.now();
    const message = parsed.value;
    if (message.type === "pong") return this.#events.alive?.();
    if (message.type === "fault") return this.#fault(message);
    if (ENTERED.has(message.type)) {
      this.#entered = true;
      this.#tries = 1;
      this.#events.status("connected");
    }
    this.#events.message(message);
  }

  /** A server that does not speak the protocol is of no use: take a fresh socket. */
  #unreadable(): void {
    this.#events.unreadable();
    this.#socket.reconnect();
  }

  #fault(fault: Fault): void {
    if (PASSING.has(fault.code)) return;
    this.close();
    this.#events.fault(fault);
  }

  #down(): void {
    this.#entered = false;
    this.#events.status("reconnecting");
  }

  #ping(): void {
    if (!this.#entered) return;
    if (performance.now() - this.#heard > PONG_WITHIN_MS) this.#socket.reconnect();
    else this.#write({ type: "ping" });
  }

  #write(message: Up): void {
    this.#socket.send(JSON.stringify(message));
  }
}
