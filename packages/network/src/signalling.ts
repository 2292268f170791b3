import { type Down, type Head, isLive, type LiveDown, PROTOCOL_VERSION, type Up } from "@sealcast/protocol";
import { type Fault, ServerSocket } from "./server-socket.ts";

export type RoomEvent = Exclude<Down, LiveDown | { type: "pong" | "fault" }>;

interface SignallingEvents {
  /** Messages of the room in the room's order; `joined` first, again after every reconnect. */
  event(event: RoomEvent): void;
  status(status: "connected" | "reconnecting"): void;
  /** The server has answered a ping. */
  alive(): void;
  /** The server said something that is no message of the protocol; its socket is replaced. */
  unreadable(): void;
  /** The server ends the session; there is no reconnect. */
  fault(fault: Fault): void;
}

/**
 * The way to the signalling server: one room, one socket at a time, opened again whenever it drops. What is sent while
 * it is down is lost: group messages are sent again by their owner once `joined` comes.
 */
export class Signalling {
  readonly #socket: ServerSocket;
  readonly #events: SignallingEvents;
  #resume: { token: string; seq: number } | null = null;

  /** `head` says where this member's group stands at the time of each join. */
  constructor(url: string, room: string, head: () => Head | null, events: SignallingEvents) {
    this.#events = events;
    this.#socket = new ServerSocket(url, {
      entry: () => ({ type: "join", version: PROTOCOL_VERSION, room, resume: this.#resume, state: head() }),
      message: (message) => this.#message(message),
      status: (status) => events.status(status),
      alive: () => events.alive(),
      unreadable: () => events.unreadable(),
      fault: (fault) => events.fault(fault),
    });
  }

  send(message: Up): void {
    this.#socket.send(message);
  }

  /** Tells the server that this member goes, and closes. Works while a page is unloading. */
  close(): void {
    this.#socket.close();
  }

  #message(message: RoomEvent | LiveDown): void {
    if (isLive(message)) return;
    if (message.type === "joined") this.#resume = { token: message.token, seq: message.seq };
    else if ("seq" in message && this.#resume !== null) this.#resume.seq = message.seq;
    this.#events.event(message);
  }
}
