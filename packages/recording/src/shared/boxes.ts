import { Cursor, OutOfBytes } from "@sealcast/bytes";

/** A file that is no fragmented MP4 that can be played; the message says why. No part of it is to be shown. */
export class UnreadableRecording extends Error {
  override readonly name = "UnreadableRecording";
}

/** A box of an MP4 file (ISO/IEC 14496-12 section 4.2). */
export interface Box {
  readonly type: string;
  /** What is in it, after its header. */
  readonly body: Cursor;
}

/** The header of a box: `size` counts the header's own `length` too, and is 0 for a box that lasts to the end of the file. */
export interface BoxHeader {
  readonly type: string;
  readonly size: number;
  readonly length: number;
}

export const LEAST_HEADER_BYTES = 8;
/** With a size of 64 bits. */
export const MOST_HEADER_BYTES = 16;

/** Throws OutOfBytes where the header is not whole. A size beyond 2^53 comes out inexact, and far beyond any file. */
export function boxHeader(cursor: Cursor): BoxHeader {
  const size = cursor.u32();
  const type = fourCharacters(cursor);
  if (size === 1) return checked({ type, size: Number(cursor.u64()), length: MOST_HEADER_BYTES });
  return checked({ type, size, length: LEAST_HEADER_BYTES });
}

function checked(header: BoxHeader): BoxHeader {
  if (header.size !== 0 && header.size < header.length)
    throw new UnreadableRecording(`The box "${header.type}" is shorter than its own header.`);
  return header;
}

/** The boxes inside another one. Throws UnreadableRecording or OutOfBytes where they do not fill it exactly. */
export function* boxesIn(cursor: Cursor): Generator<Box> {
  while (cursor.left > 0) {
    const { type, size, length } = boxHeader(cursor);
    if (size === 0) throw new UnreadableRecording(`The box "${type}" has no size.`);
    yield { type, body: new Cursor(cursor.bytes(size - length)) };
  }
}

/** The first box of this type among those that are left. */
export function childOf(cursor: Cursor, type: string): Cursor {
  for (const box of boxesIn(cursor)) if (box.type === type) return box.body;
  throw new UnreadableRecording(`The box "${type}" is missing.`);
}

/** Four letters; what does not print comes out as question marks. */
function fourCharacters(cursor: Cursor): string {
  return [...cursor.bytes(4)].map((byte) => (byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : "?")).join("");
}

/** Runs a parser of bytes from a file: that they end too early is a fault of the file. */
export function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof OutOfBytes) throw new UnreadableRecording(`A box ends too early: ${error.message}.`);
    throw error;
  }
}
