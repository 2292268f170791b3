import { Cursor, concat, u32, utf8 } from "@sealcast/bytes";

/** The recipient that stands for everybody in the group. */
export const ALL = 255;
/** Bytes of a message that the page sends. */
export const MAX_BODY = 40 * 1024;
const MEMBER_ID = /^[A-Za-z0-9_-]{22}$/;
const TYPES = { hello: 1, bye: 2, data: 3, ack: 4 } as const;

/**
 * What members say inside the group: `type (1) | to (1; a leaf, or 255 for all)`, then by type
 *
 *     hello  the sender's room member id, 22 letters; also says that the sender holds the epoch it is sealed in
 *     bye    nothing
 *     data   number (4) | epoch (4) | epoch of the one before (4) | body
 *     ack    next number wanted from the recipient's stream to this leaf (4) | and from its stream to all (4)
 */
export type MessageContent =
  | { type: "hello"; member: string }
  | { type: "bye" }
  /** `epoch` is the one in which the message was first sent, `previous` that of the message before it in its stream. */
  | { type: "data"; number: number; epoch: number; previous: number; body: Uint8Array }
  | { type: "ack"; direct: number; all: number };

export function encodePlaintext(to: number, content: MessageContent): Uint8Array {
  const head = Uint8Array.of(TYPES[content.type], to);
  switch (content.type) {
    case "hello":
      return concat(head, utf8(content.member));
    case "bye":
      return head;
    case "data":
      return concat(head, u32(content.number), u32(content.epoch), u32(content.previous), content.body);
    case "ack":
      return concat(head, u32(content.direct), u32(content.all));
  }
}

/** Null: malformed. */
export function parsePlaintext(bytes: Uint8Array): { to: number; content: MessageContent } | null {
  const cursor = new Cursor(bytes);
  if (cursor.left < 2) return null;
  const type = cursor.u8();
  const to = cursor.u8();
  const content = parseContent(type, cursor);
  return content === null ? null : { to, content };
}

function parseContent(type: number, cursor: Cursor): MessageContent | null {
  if (type === TYPES.hello && cursor.left === 22) {
    const member = new TextDecoder().decode(cursor.rest());
    return MEMBER_ID.test(member) ? { type: "hello", member } : null;
  }
  if (type === TYPES.bye && cursor.left === 0) return { type: "bye" };
  if (type === TYPES.data && cursor.left >= 12 && cursor.left <= 12 + MAX_BODY) {
    const [number, epoch, previous] = [cursor.u32(), cursor.u32(), cursor.u32()];
    return { type: "data", number, epoch, previous, body: cursor.rest().slice() };
  }
  if (type === TYPES.ack && cursor.left === 8) return { type: "ack", direct: cursor.u32(), all: cursor.u32() };
  return null;
}
