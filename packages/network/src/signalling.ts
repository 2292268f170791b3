import { isLive, type LiveDown, PROTOCOL_VERSION, type RoomDown, type Up } from "@sealcast/protocol";
import type { Clock } from "@sealcast/time";
import { type Fault, type RelayToken, ServerSocket, type TurnCredentials } from "./server-socket.ts";

export type RoomEvent = Exclude<RoomDown, { type: "challenge" }>;

interface SignallingEvents {
  /** A new socket is open: answer with `join`, for this nonce, within 5 s. Otherwise the server closes the socket, and another follows. */
  challenge(nonce: string): void;
  /** Messages of the room in the room's order; `joined` first, again after every reconnect. */
  event(event: RoomEvent): void;
  status(status: "connected" | "reconnecting"): void;
  /** The server has answered a ping. */
  alive(): void;
  /** What was asked for with `relay-token`. */
  relayToken?(given: RelayToken): void;
  /** What was asked for with `turn`. */
  turn?(credentials: TurnCredentials): void;
  /** The server said something that is no message of the protocol; its socket is replaced. */
  unreadable(): void;
  /** The server ended the socket. There is no reconnect, unless `isFinal` says that there is to be one. */
  fault(fault: Fault): void;
  /** Whether this fault ends the session, as every fault does where this is absent. */
  isFinal?(fault: Fault): boolean;
}

/** Proves that this client has a room's link (see [Note: Proof of a door]). All three in base64url. */
export interface DoorAnswer {
  /** The challenge that was signed. */
  readonly nonce: string;
  /** The door's public key. */
  readonly door: string;
  /** By the door's private key, for role 1 (PROTOCOL.md section 3.5). */
  readonly signature: string;
}

/**
 * The connection to the signalling server: one room, one socket at a time, opened again whenever it drops. What is sent
 * while it is down is lost: group messages are sent again by their owner once `joined` comes.
 */
export class SignallingClient {
  readonly #socket: ServerSocket;
  readonly #events: SignallingEvents;
  #resume: { token: string; seq: number } | null = null;

  constructor(url: string, events: SignallingEvents, clock?: Clock) {
    this.#events = events;
    this.#socket = new ServerSocket(
      url,
      {
        challenge: (nonce) => events.challenge(nonce),
        message: (message) => this.#message(message),
        status: (status) => events.status(status),
        alive: () => events.alive(),
        relayToken: (given) => events.relayToken?.(given),
        turn: (credentials) => events.turn?.(credentials),
        unreadable: () => events.unreadable(),
        fault: (fault) => events.fault(fault),
        isFinal: (fault) => events.isFinal?.(fault) ?? true,
      },
      clock,
    );
  }

  /** Answers the latest challenge. A proof for an earlier one is dropped: its socket is gone. */
  join({ nonce, door, signature }: DoorAnswer): void {
    const resume = this.#resume;
    this.#socket.enter(nonce, { type: "join", version: PROTOCOL_VERSION, door, signature, resume });
  }

  send(message: Up): void {
    this.#socket.send(message);
  }

  /** The network changed, or the computer woke up. */
  wake(): void {
    this.#socket.wake();
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
