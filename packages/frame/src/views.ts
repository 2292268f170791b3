import type { DropReason } from "./drop.ts";

export type Codec = "vp8" | "vp9" | "opus" | "red";

/** A frame taken apart by its codec's view. */
export type View =
  | {
      ok: true;
      /** Stays readable, in canonical form: authenticated, not sealed. */
      clear: Uint8Array;
      /** Is sealed. */
      rest: Uint8Array;
    }
  | { ok: false; drop: DropReason };

const MIME_TYPES: ReadonlyMap<string, Codec> = new Map([
  ["video/vp8", "vp8"],
  ["video/vp9", "vp9"],
  ["audio/opus", "opus"],
  ["audio/red", "red"],
]);

const EMPTY: View = { ok: false, drop: "empty" };
const MALFORMED: View = { ok: false, drop: "malformed" };

/** The codec of an encoded frame's `mimeType`, in any case; null: not one whose clear bytes are known, so no frame passes. */
export function codecOf(mimeType: string): Codec | null {
  return MIME_TYPES.get(mimeType.toLowerCase()) ?? null;
}

/** Takes apart a frame as the encoder made it. Both parts are views onto `frame`. */
export function view(codec: Codec, frame: Uint8Array): View {
  if (frame.length === 0) return EMPTY;
  return split(codec, frame);
}

/**
 * Which bytes stay clear is read from the clear bytes themselves, so that `frame` may be the encoder's or have
 * ciphertext in the sealed places.
 */
export function split(codec: Codec, frame: Uint8Array): View {
  const length = codec === "vp8" ? vp8ClearLength(frame) : 0;
  if (length === null || length > frame.length) return MALFORMED;
  return { ok: true, clear: frame.subarray(0, length), rest: frame.subarray(length) };
}

/**
 * VP8 (RFC 6386 section 9.1): a key frame's tag, start code and size, or the first byte of another frame's tag, which
 * tells the two apart. The packetizer and relays read these.
 */
function vp8ClearLength(frame: Uint8Array): number | null {
  const first = frame[0];
  if (first === undefined) return null;
  return (first & 1) === 0 ? 10 : 1;
}
