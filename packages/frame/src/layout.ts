import type { DropReason } from "./drop.ts";
import { parseHeader } from "./header.ts";
import { type Bytes, type FrameUnit, gather, lastSealed, refill } from "./unit.ts";
import { type Codec, framingOf } from "./views.ts";

/**
 * A sealed frame on the wire:
 *
 *     clear and sealed ranges in their original places | tag (16) | SFrame header (1..17) | header length (1)
 *
 * Where a codec's frame is a row of units, the trailer from the tag on lies at the end of the last sealed unit.
 */

type MediaKind = "audio" | "video";

/** A sealed frame taken apart. All arrays are views onto the frame where that can be. */
export type Parsed =
  | {
      ok: true;
      kid: bigint;
      /** Not exact from 2^53 on, where no counter is fresh. */
      counter: number;
      header: Bytes;
      /** For restore. */
      units: readonly FrameUnit[];
      /** The clear bytes in canonical form. */
      clear: Bytes;
      /** Ciphertext and tag. */
      sealed: Bytes;
    }
  | { ok: false; drop: DropReason };

const NOTHING = new Uint8Array();
const VERSION = 1;
const METADATA = 3;
const CODEC_NUMBERS: Readonly<Record<Codec, number>> = { vp8: 1, vp9: 2, opus: 3, red: 4, h264: 5, h265: 6, av1: 7 };
const KIND_NUMBERS: Readonly<Record<MediaKind, number>> = { audio: 0, video: 1 };
const EMPTY: Parsed = { ok: false, drop: "empty" };
const MALFORMED: Parsed = { ok: false, drop: "malformed" };

/**
 * What a frame's tag covers beside the ciphertext (RFC 9605 section 4.4.3, header || metadata):
 * `header | version (1) | codec (1) | media kind (1) | canonical clear form`, and behind it, of a frame that is not sealed,
 * the bytes that would be.
 */
export function additionalData(
  header: Uint8Array,
  codec: Codec,
  kind: MediaKind,
  clear: Uint8Array,
  readable: Uint8Array = NOTHING,
): Uint8Array<ArrayBuffer> {
  const aad = new Uint8Array(header.length + METADATA + clear.length + readable.length);
  aad.set(header);
  aad[header.length] = VERSION;
  aad[header.length + 1] = CODEC_NUMBERS[codec];
  aad[header.length + 2] = KIND_NUMBERS[kind];
  aad.set(clear, header.length + METADATA);
  aad.set(readable, header.length + METADATA + clear.length);
  return aad;
}

/** The frame that goes out. `units` are the view's, `sealed` is ciphertext and tag. */
export function assemble(codec: Codec, units: readonly FrameUnit[], sealed: Bytes, header: Uint8Array): ArrayBuffer {
  const trailer = new Uint8Array(header.length + 1);
  trailer.set(header);
  trailer[header.length] = header.length;
  return framingOf(codec).joinSealed(refill(units, sealed), trailer).buffer;
}

/**
 * Takes apart a frame that came in. Nothing of it is to be believed before its tag has verified. `tag` is the length of
 * what sealing adds.
 */
export function parseSealed(codec: Codec, frame: Bytes, tag: number): Parsed {
  if (frame.length === 0) return EMPTY;
  const framing = framingOf(codec);
  const units = framing.splitSealed(frame);
  if (units === null) return MALFORMED;
  const index = lastSealed(units);
  const last = units[index];
  if (!last?.body) return MALFORMED;
  const { clear, body } = last;
  const end = body.length - 1;
  const headerStart = end - (body[end] ?? 0);
  const tagStart = headerStart - tag;
  if (tagStart < 0) return MALFORMED;
  const header = body.subarray(headerStart, end);
  // Refuses any length but the 1 to 17 bytes that the config byte implies.
  const numbers = parseHeader(header);
  if (numbers === null) return MALFORMED;
  const endingAt = (end: number) => replaced(units, index, { clear, body: body.subarray(0, end) });
  const sealed = units.length === 1 ? body.subarray(0, headerStart) : gather(endingAt(headerStart));
  const plain = endingAt(tagStart);
  const { kid, counter } = numbers;
  return { ok: true, kid, counter: Number(counter), header, units: plain, clear: framing.canonical(plain), sealed };
}

/** The frame that goes to the decoder. Takes ownership of `plaintext`: its buffer is the result where nothing is clear. */
export function restore(codec: Codec, units: readonly FrameUnit[], plaintext: Bytes): ArrayBuffer {
  return framingOf(codec).join(refill(units, plaintext)).buffer;
}

function replaced(units: readonly FrameUnit[], index: number, unit: FrameUnit): FrameUnit[] {
  return units.length === 1 ? [unit] : units.with(index, unit);
}
