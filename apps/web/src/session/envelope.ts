import { fromBase64url, toBase64url } from "@sealcast/bytes";
import type { FromRoom, Head, ToRoom } from "@sealcast/keys";
import type { HeadOnWire, RoomEvent, ToServer } from "@sealcast/network";

/** What the keys worker says goes to the server in the wire's envelope; what the server delivers comes out of it. */

export function toRoom(message: ToRoom): ToServer {
  if (message.type === "skip" || message.type === "fetch") return message;
  const body = toBase64url(message.body);
  if (message.type !== "commit") return { ...message, body };
  const { welcome } = message;
  return { ...message, body, welcome: welcome && { to: welcome.to, body: toBase64url(welcome.body) } };
}

export function fromRoom(event: RoomEvent): FromRoom {
  switch (event.type) {
    case "found":
    case "yield":
      return { type: event.type };
    case "presence":
      return { type: "presence", member: event.member, is: event.is };
    case "joined":
      return { ...pick(event), head: headOffWire(event.head) };
    case "refused":
      return { type: "refused", epoch: event.epoch, head: headOffWire(event.head) };
    case "history":
      return { type: "history", commits: event.commits.map(({ epoch, body }) => ({ epoch, body: bytes(body) })) };
    case "ordered":
      return { type: "ordered", seq: event.seq, from: event.from, epoch: event.epoch, body: bytes(event.body) };
    default:
      return { type: event.type, from: event.from, body: bytes(event.body) };
  }
}

export function headOnWire(head: Head | null): HeadOnWire | null {
  return head && { epoch: head.epoch, authenticator: head.authenticator && toBase64url(head.authenticator) };
}

function headOffWire(head: HeadOnWire | null): Head | null {
  return head && { epoch: head.epoch, authenticator: head.authenticator === null ? null : bytes(head.authenticator) };
}

function pick({ type, member, founder, resumed }: Extract<RoomEvent, { type: "joined" }>) {
  return { type, member, founder, resumed };
}

/** The wire's schema has checked the alphabet; a length that no bytes encode to gives no bytes, which nothing accepts. */
function bytes(text: string): Uint8Array {
  return fromBase64url(text) ?? new Uint8Array();
}
