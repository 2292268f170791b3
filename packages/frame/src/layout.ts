import type { DropReason } from "./drop.ts";
import { parseHeader } from "./header.ts";
import { type Codec, split } from "./views.ts";

/**
 * A sealed frame on the wire:
 *
 *     clear and sealed ranges in their original places | tag (16) | SFrame header (1..17) | header length (1)
 */

type MediaKind = "audio" | "video";

/** A sealed frame taken apart. All arrays are views onto the frame. */
export type Parsed =
  | {
      ok: true;
      kid: bigint;
      counter: bigint;
      header: Uint8Array;
      /** The clear bytes in canonical form. */
      clear: Uint8Array;
      /** Ciphertext and tag. */
      sealed: Uint8Array;
    }
  | { ok: false; drop: DropReason };

const VERSION = 1;
const TAG = 16;
const METADATA = 3;
const CODEC_NUMBERS: Readonly<Record<Codec, number>> = { vp8: 1, vp9: 2, opus: 3, red: 4 };
const KIND_NUMBERS: Readonly<Record<MediaKind, number>> = { audio: 0, video: 1 };

/**
 * What a frame's tag covers beside the ciphertext (RFC 9605 section 4.4.3, header || metadata):
 * `header | version (1) | codec (1) | media kind (1) | canonical clear form`.
 */
export function authenticated(
  header: Uint8Array,
  codec: Codec,
  kind: MediaKind,
  clear: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const aad = new Uint8Array(header.length + METADATA + clear.length);
  aad.set(header);
  aad[header.length] = VERSION;
  aad[header.length + 1] = CODEC_NUMBERS[codec];
  aad[header.length + 2] = KIND_NUMBERS[kind];
  aad.set(clear, header.length + METADATA);
  return aad;
}

/** The frame that goes out. `sealed` is ciphertext and tag. */
export function assemble(clear: Uint8Array, sealed: Uint8Array, header: Uint8Array): ArrayBuffer {
  const frame = new Uint8Array(clear.length + sealed.length + header.length + 1);
  frame.set(clear);
  frame.set(sealed, clear.length);
  frame.set(header, clear.length + sealed.length);
  frame[frame.length - 1] = header.length;
  return frame.buffer;
}

/** Takes apart a frame that came in. Nothing of it is to be believed before its tag has verified. */
export function parseSealed(codec: Codec, frame: Uint8Array): Parsed {
  const headerLength = frame.at(-1);
  if (headerLength === undefined) return { ok: false, drop: "empty" };
  const headerStart = frame.length - 1 - headerLength;
  const tagStart = headerStart - TAG;
  if (tagStart < 0) return { ok: false, drop: "malformed" };
  const header = frame.subarray(headerStart, frame.length - 1);
  // Refuses any length but the 1 to 17 bytes that the config byte implies.
  const numbers = parseHeader(header);
  if (numbers === null) return { ok: false, drop: "malformed" };
  const parts = split(codec, frame.subarray(0, tagStart));
  if (!parts.ok) return parts;
  const sealed = frame.subarray(parts.clear.length, headerStart);
  return { ok: true, kid: numbers.kid, counter: numbers.counter, header, clear: parts.clear, sealed };
}

/** The frame that goes to the decoder. Takes ownership of `plaintext`: without clear bytes its buffer is the result. */
export function restore(clear: Uint8Array, plaintext: Uint8Array<ArrayBuffer>): ArrayBuffer {
  if (clear.length === 0 && plaintext.length === plaintext.buffer.byteLength) return plaintext.buffer;
  const frame = new Uint8Array(clear.length + plaintext.length);
  frame.set(clear);
  frame.set(plaintext, clear.length);
  return frame.buffer;
}
