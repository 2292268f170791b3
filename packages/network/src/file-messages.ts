import { type Infer, rest, safeUint64, struct, uint8, uint16, uint32, union } from "@sealcast/bytes";

/** What goes over the channel for files (PROTOCOL.md section 5.7). */

/** Of a message: every browser sends and takes 16 KiB whole. */
export const MAX_FILE_MESSAGE = 16 * 1024;
const HEADER_BYTES = 1 + 2 + 4 + 1;
/** Bytes of a sealed chunk that one message carries. */
export const PART_BYTES = MAX_FILE_MESSAGE - HEADER_BYTES;
/** Of a word. */
export const MAX_WORD = 4 * 1024;

/** Where a part belongs, and its bytes. */
const filePart = struct({
  /** The number that its receiver gave to what it asked for. */
  slot: uint16,
  chunk: uint32,
  /** Place in the sealed chunk: all but the last part are PART_BYTES long. */
  part: uint8,
  bytes: rest(PART_BYTES, 1),
});
export type FilePart = Infer<typeof filePart>;

export const fileMessage = union({
  part: [1, { part: filePart }],
  /** How many bytes of parts' messages have come over this channel. */
  arrived: [2, { bytes: safeUint64 }],
  /** About files, in JSON. */
  word: [3, { body: rest(MAX_WORD, 1) }],
});
