import type { Down, Up } from "@sealcast/protocol";
import { type Clock, type Milli, milli } from "@sealcast/time";
import type { LiveRelays } from "../relay/live-relays.ts";
import type { LiveKit } from "../relay/livekit.ts";
import type { TurnAnswer } from "../turn.ts";

/** How long a room is remembered in which nobody is. */
export const REMEMBERED = milli(60_000);

/** Why a socket ends. */
export type FaultCode = Extract<Down, { type: "fault" }>["code"];

/** A socket as a room sees it. No call may lead back into the room before it returns. */
export interface RoomSocket {
  /** Of the address that it comes from: the same for all of one customer. */
  readonly network: string;
  /** Its address has made the server do as much as this many characters of messages do, besides what it said. */
  charge(characters: number): void;
  send(text: string): void;
  /** Sends unless much is waiting already: for what comes again anyway. */
  offer(text: string): void;
  close(): void;
  /** Closes, so that the client comes again. */
  restart(): void;
  /** Says why, and closes. */
  fault(code: FaultCode, message: string): void;
}

/** A room as a joined socket sees it. Inert once another socket took the session over. */
export interface Seat {
  /** False: no message for this kind of room. Doors in it were proved. */
  handle(message: AfterJoin): boolean;
  /** Milliseconds for which its room has had more from those inside than it may. */
  overdrawnFor(now: Milli): number;
  /** The socket is lost. */
  drop(): void;
}

/** A client's message of this type. */
export type Sent<T extends Up["type"]> = Extract<Up, { type: T }>;
/** A socket's first message. */
export type FirstMessage = Sent<"join" | "host" | "watch">;
/** Each one after it. */
export type AfterJoin = Exclude<Up, FirstMessage>;
export function isFirst(message: Up): message is FirstMessage {
  return message.type === "join" || message.type === "host" || message.type === "watch";
}

/** What is said in a live room and nowhere else. */
type OfLive = { type: "tell" | "deliver" | "dismiss" | "end" | "live-relay" };
/** What is said in a call. */
export type OfCall = Exclude<AfterJoin, OfLive>;

const OF_LIVE: ReadonlySet<string> = new Set<OfLive["type"]>(["tell", "deliver", "dismiss", "end", "live-relay"]);

export function isOfCall(message: AfterJoin): message is OfCall {
  return !OF_LIVE.has(message.type);
}

/** Hands a socket's message to its seat. False: it is none for this kind of room, and the socket ends. */
export function handOver(message: AfterJoin, seat: Seat, socket: Pick<RoomSocket, "fault">): boolean {
  const isTaken = seat.handle(message);
  if (!isTaken) socket.fault("malformed", "not a message for this room");
  return isTaken;
}

export interface RoomOptions {
  readonly clock: Clock;
  /** A fresh random 128-bit id, base64url. */
  readonly randomId: () => string;
  /** Passed on to every client. */
  readonly stunPort: number | null;
  /** Null: there is no media relay. */
  readonly relay: Pick<LiveKit, "url" | "token" | "remove" | "end"> | null;
  /** Null: there are no relays of live streams. */
  readonly liveRelays: Pick<LiveRelays, "issue" | "lapse" | "refuse" | "end"> | null;
  /** New credentials of the TURN server; null: there is none. */
  readonly turn: (() => TurnAnswer) | null;
  /** Called for each message that is dropped since its sender says more, or asks more often, than it may. */
  readonly dropped: () => void;
}
