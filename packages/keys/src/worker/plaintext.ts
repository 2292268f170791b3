import { type Infer, letters, rest, uint8, uint32, union } from "@sealcast/bytes";

/** The recipient that stands for everybody in the group. */
export const ALL = 255;
/** Bytes of a message that the page sends. */
export const MAX_BODY = 40 * 1024;

/** The greatest number of a message: an acknowledgement names the next one. */
const LAST_NUMBER = 0xffff_fffe;

/** A leaf, or ALL. */
const to = uint8;
const plaintext = union({
  /** The sender's room member id; also says that the sender holds the epoch that this is sealed in. */
  hello: [1, { to, member: letters(22) }],
  bye: [2, { to }],
  /** `epoch` is the one in which the message was first sent, `previous` that of the message before it in its stream. */
  data: [3, { to, number: uint32, epoch: uint32, previous: uint32, body: rest(MAX_BODY) }],
  /** The next numbers wanted: of the recipient's stream to this leaf, and of its stream to all. */
  ack: [4, { to, direct: uint32, all: uint32 }],
});

/** Without the recipient. */
type Content<P> = P extends unknown ? Omit<P, "to"> : never;

/** What members say inside the group, to one leaf or to all. */
export type MessageContent = Content<Infer<typeof plaintext>>;

export function encodePlaintext(to: number, content: MessageContent): Uint8Array {
  return plaintext.encode({ ...content, to });
}

/** Null: malformed. */
export function parsePlaintext(bytes: Uint8Array): { to: number; content: MessageContent } | null {
  const parsed = plaintext.parse(bytes);
  if (parsed === null || (parsed.type === "data" && parsed.number > LAST_NUMBER)) return null;
  const { to, ...content } = parsed;
  return { to, content };
}
