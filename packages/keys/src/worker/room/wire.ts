import { fromBase64url, toBase64url } from "@sealcast/bytes";
import type { RoomDown, RoomUp } from "@sealcast/protocol";
import { MAX_BEAT, MAX_MESSAGE, MAX_RELAY } from "@sealcast/protocol/limits";
import type { FromKeys, JoinProof, ToKeys } from "../../shared/messages.ts";

/** The edge of a member: outside it the server's messages are as the wire has them, inside their bodies are bytes. */

type InBytes<M> = { [K in keyof M]: K extends "body" ? Uint8Array : InBytes<M[K]> };
/** Without what only the connection to the server needs. */
type OfTheRoom<M> = M extends unknown ? Omit<M, "seq" | "token" | "stunPort" | "relay" | "turn"> : never;

/** What the server delivers, in the room's order. */
export type FromRoom = InBytes<OfTheRoom<RoomDown>>;
/** What goes to the server. */
export type ToRoom = InBytes<RoomUp> | JoinProof;
/** A commit as the server keeps it, and the node of the epoch to which it leads. */
export type CommitEdge = Extract<FromRoom, { type: "history" }>["edges"][number];

/** What a member hears of the page. */
export type ToMember =
  | Exclude<ToKeys, { type: "start" | "room" | "compare" | "compare-meeting" }>
  | { type: "room"; event: FromRoom };
/** What a member says to the page. */
export type FromMember =
  | Exclude<FromKeys, { type: "to-room" | "code" | "meeting-code" }>
  | { type: "to-room"; message: ToRoom };

/** A body that is too long, or that no bytes encode to, comes as no bytes, which nothing accepts. */
export function parseFromRoom(event: RoomDown): FromRoom {
  switch (event.type) {
    case "challenge":
    case "alone":
    case "entered":
    case "groups":
    case "knock-keys":
    case "refused":
      return event;
    case "joined":
      return { type: "joined", member: event.member, resumed: event.resumed };
    case "presence":
      return { type: "presence", member: event.member, is: event.is };
    case "history":
      return { ...event, edges: event.edges.map(({ next, body }) => ({ next, body: bytes(body, MAX_MESSAGE) })) };
    case "ordered": {
      const { type, from, at, next, body } = event;
      return { type, from, at, next, body: bytes(body, MAX_MESSAGE) };
    }
    case "knocked":
      return { type: "knocked", from: event.from, at: event.at, body: bytes(event.body, MAX_RELAY) };
    case "relayed":
    case "answered":
    case "welcomed":
    case "heartbeat-relayed":
      return { type: event.type, from: event.from, body: bytes(event.body, LARGEST[event.type]) };
  }
}

export function encodeToRoom(message: ToRoom): RoomUp | JoinProof {
  switch (message.type) {
    case "join":
    case "listen":
    case "enter":
    case "fetch":
    case "request-keys":
      return message;
    case "commit": {
      const { welcome } = message;
      const newcomers = welcome && { to: welcome.to, body: toBase64url(welcome.body) };
      return { ...message, body: toBase64url(message.body), welcome: newcomers };
    }
    default:
      return { ...message, body: toBase64url(message.body) };
  }
}

/** In letters of base64url. */
const LARGEST = { relayed: MAX_RELAY, answered: MAX_RELAY, welcomed: MAX_MESSAGE, "heartbeat-relayed": MAX_BEAT };

function bytes(text: string, largest: number): Uint8Array {
  return (text.length <= largest && fromBase64url(text)) || new Uint8Array();
}
