import { type Down, parseDown, type Up } from "@sealcast/protocol";
import { WebSocket as ReconnectingSocket } from "partysocket";
import { retryDelay } from "./retry.ts";

/** How often the socket is asked whether it lives, and how long the answer may take before it is replaced. */
const PING_EVERY_MS = 5_000;
const PONG_WITHIN_MS = 8_000;

export type Fault = Extract<Down, { type: "fault" }>;
type Entry = Extract<Up, { type: "join" | "host" | "watch" }>;

export interface SocketEvents {
  /** A new socket is open, and waits for `enter`. */
  challenge(nonce: string): void;
  /** Everything that the server says but `challenge`, `pong` and `fault`, in order. */
  message(message: Exclude<Down, { type: "challenge" | "pong" | "fault" }>): void;
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

/** One socket at a time to the signalling server, opened again whenever it drops. What is sent meanwhile is lost. */
export class ServerSocket {
  readonly #socket: ReconnectingSocket;
  readonly #events: SocketEvents;
  /** Of the open socket, until it is answered. */
  #nonce: string | null = null;
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
    this.#socket.addEventListener("open", () => {
      this.#heard = performance.now();
    });
    this.#socket.addEventListener("message", (event) => this.#message(event.data));
    this.#socket.addEventListener("close", () => this.#down());
    this.#pinging = setInterval(() => this.#ping(), PING_EVERY_MS);
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

  /** Tells the server that this client goes, and closes. Works while a page is unloading. */
  close(): void {
    clearInterval(this.#pinging);
    this.send({ type: "leave" });
    this.#socket.close();
  }

  #message(data: unknown): void {
    const parsed = parseDown(typeof data === "string" ? data : "");
    if (!parsed.ok) return this.#unreadable();
    this.#heard = performance.now();
    const message = parsed.value;
    if (message.type === "pong") return this.#events.alive?.();
    if (message.type === "fault") return this.#fault(message);
    if (message.type === "challenge") return this.#challenged(message.nonce);
    if (ENTERED.has(message.type)) {
      this.#entered = true;
      this.#tries = 1;
      this.#events.status("connected");
    }
    this.#events.message(message);
  }

  #challenged(nonce: string): void {
    this.#nonce = nonce;
    this.#events.challenge(nonce);
  }

  /** A server that does not speak the protocol is of no use: take a fresh socket. */
  #unreadable(): void {
    this.#events.unreadable();
    this.#socket.reconnect();
  }

  #fault(fault: Fault): void {
    if (PASSING.has(fault.code)) return;
    const isFinal = this.#events.isFinal?.(fault) ?? true;
    if (isFinal) this.close();
    this.#events.fault(fault);
    if (!isFinal) this.#socket.reconnect();
  }

  #down(): void {
    this.#nonce = null;
    this.#entered = false;
    this.#events.status("reconnecting");
  }

  #ping(): void {
    if (this.#socket.readyState !== ReconnectingSocket.OPEN) return;
    if (performance.now() - this.#heard > PONG_WITHIN_MS) this.#socket.reconnect();
    else this.send({ type: "ping" });
  }

  #write(message: Up): void {
    this.#socket.send(JSON.stringify(message));
  }
}
