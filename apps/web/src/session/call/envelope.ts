import { fromBase64url, toBase64url } from "@sealcast/bytes";
import type { FromRoom, ToRoom } from "@sealcast/keys";
import type { RoomEvent, ToServer } from "@sealcast/network";

/** What the keys worker says goes to the server in the wire's envelope; what the server delivers comes out of it. */

export function toRoom(message: Exclude<ToRoom, { type: "join" }>): ToServer {
  switch (message.type) {
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

export function fromRoom(event: RoomEvent): FromRoom {
  switch (event.type) {
    case "alone":
    case "entered":
    case "groups":
    case "knock-keys":
    case "refused":
      return event;
    case "presence":
      return { type: "presence", member: event.member, is: event.is };
    case "joined":
      return { type: "joined", member: event.member, resumed: event.resumed };
    case "history":
      return { ...event, edges: event.edges.map(({ next, body }) => ({ next, body: bytes(body) })) };
    case "ordered":
      return { type: "ordered", from: event.from, at: event.at, next: event.next, body: bytes(event.body) };
    case "knocked":
      return { type: "knocked", from: event.from, at: event.at, body: bytes(event.body) };
    default:
      return { type: event.type, from: event.from, body: bytes(event.body) };
  }
}

/** The wire's schema has checked the alphabet; a length that no bytes encode to gives no bytes, which nothing accepts. */
function bytes(text: string): Uint8Array {
  return fromBase64url(text) ?? new Uint8Array();
}
