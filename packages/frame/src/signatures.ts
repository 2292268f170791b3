import { Cursor, concat, u16, u32, u64, utf8 } from "@sealcast/bytes";
import { sealedKid } from "./kid.ts";
import type { Bytes } from "./unit.ts";

/**
 * What a sender signs of its frames (see [Note: Batches] and PROTOCOL.md section 6.13). A batch is
 * a run of consecutive counters of one stream in one epoch, with what each of these frames was.
 *
 *     version (1) | KID (8) | epoch (8) | number (4) | first counter (8) | digest (16), 0 to 64 times | signature (64)
 */
export interface Batch {
  /** Under which the stream seals, readable frames included. */
  kid: bigint;
  /** The whole number, of which the KID has four bits. */
  epoch: number;
  /** Rises with each batch of a sealing transform, so that none counts twice. LAST_NUMBER in the one that ends a stream. */
  number: number;
  /** Counter of the frame with the first digest; the others follow one by one. */
  first: number;
  /** 16 bytes each. None: the stream has ended, and what was not signed of it before never will be. */
  digests: readonly Uint8Array[];
}

/** A batch as it travels, taken apart. Nothing of it is to be believed before its signature has verified. */
export interface SignedBatch {
  batch: Batch;
  /** What the signature is over, with the context: see signedMessage. */
  body: Uint8Array;
  signature: Uint8Array;
}

/** SHA-256, cut. */
const FRAME_DIGEST = 16;
/** A batch fits into one packet of a data channel. */
export const MOST_DIGESTS = 64;
/** Of the batch that ends a stream: none can come after it. */
export const LAST_NUMBER = 0xffff_ffff;

const VERSION = 1;
const FIXED = 1 + 8 + 8 + 4 + 8;
const SIGNATURE = 64;
const EPOCHS = 16n;
const LABEL = utf8("Sealcast frame signatures\0");

/** A batch without its signature, which goes behind it. RangeError for a field that parseSignedBatch would refuse. */
export function encodeBatch(batch: Batch): Bytes {
  if (!isSound(batch)) throw new RangeError("the batch has a field that does not fit");
  const { kid, epoch, number, first, digests } = batch;
  return concat(Uint8Array.of(VERSION), u64(kid), u64(BigInt(epoch)), u32(number), u64(BigInt(first)), ...digests);
}

/** Null: malformed. The arrays are views onto `bytes`. */
export function parseSignedBatch(bytes: Uint8Array): SignedBatch | null {
  const room = bytes.length - FIXED - SIGNATURE;
  const count = room / FRAME_DIGEST;
  if (!Number.isInteger(count) || count < 0 || count > MOST_DIGESTS) return null;
  const cursor = new Cursor(bytes);
  if (cursor.u8() !== VERSION) return null;
  const batch = {
    kid: cursor.u64(),
    epoch: Number(cursor.u64()),
    number: cursor.u32(),
    first: Number(cursor.u64()),
    digests: Array.from({ length: count }, () => cursor.bytes(FRAME_DIGEST)),
  };
  if (!isSound(batch)) return null;
  return { batch, body: bytes.subarray(0, FIXED + room), signature: cursor.rest() };
}

/**
 * What is signed. `context` says where the frames belong, such as a stream's id, and is known to both ends: a batch made
 * in one place is worth nothing in another.
 */
export function signedMessage(context: string, body: Uint8Array): Bytes {
  const where = utf8(context);
  return concat(LABEL, u16(where.length), where, body);
}

function isSound({ kid, epoch, number, first, digests }: Batch): boolean {
  return (
    sealedKid(kid) === kid &&
    isCount(epoch) &&
    BigInt(epoch) % EPOCHS === kid % EPOCHS &&
    isCount(first) &&
    isCount(first + digests.length) &&
    digests.length <= MOST_DIGESTS &&
    digests.every(({ length }) => length === FRAME_DIGEST) &&
    // The last number is for the end, and the end has no other.
    (number === LAST_NUMBER) === (digests.length === 0)
  );
}

/** Counters of 2^53 and more never come from a sender. */
function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
