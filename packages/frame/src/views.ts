import type { DropReason } from "./drop.ts";
import { H264, H265 } from "./nal.ts";
import { OBUS } from "./obu.ts";
import { type Bytes, type FrameUnit, type Framing, gather } from "./unit.ts";
import { SEALED_WHOLE, VP8 } from "./whole.ts";

export type Codec = "vp8" | "vp9" | "opus" | "red" | "h264" | "h265" | "av1";

/** A frame taken apart by its codec's view. All arrays are views onto the frame where that can be. */
export type View =
  | {
      ok: true;
      /** For assemble. */
      units: readonly FrameUnit[];
      /** Stays readable, in canonical form: authenticated, not sealed. */
      clear: Bytes;
      /** Is sealed. */
      plaintext: Bytes;
    }
  | { ok: false; drop: DropReason };

/** As browsers write them. */
const MIME_TYPES: ReadonlyMap<string, Codec> = new Map([
  ["video/VP8", "vp8"],
  ["video/VP9", "vp9"],
  ["video/H264", "h264"],
  ["video/H265", "h265"],
  ["video/AV1", "av1"],
  ["audio/opus", "opus"],
  ["audio/red", "red"],
]);

const IN_LOWER_CASE = new Map([...MIME_TYPES].map(([mimeType, codec]) => [mimeType.toLowerCase(), codec]));

const FRAMINGS: Readonly<Record<Codec, Framing>> = {
  vp8: VP8,
  vp9: SEALED_WHOLE,
  opus: SEALED_WHOLE,
  red: SEALED_WHOLE,
  h264: H264,
  h265: H265,
  av1: OBUS,
};

const EMPTY: View = { ok: false, drop: "empty" };
const MALFORMED: View = { ok: false, drop: "malformed" };

/** The codec of an encoded frame's `mimeType`, in any case; null: not one whose clear bytes are known, so no frame passes. */
export function codecOf(mimeType: string): Codec | null {
  return MIME_TYPES.get(mimeType) ?? IN_LOWER_CASE.get(mimeType.toLowerCase()) ?? null;
}

/**
 * Which bytes of a frame stay clear is read from the clear bytes themselves, on both sides, so that no table of them
 * travels.
 */
export function framingOf(codec: Codec): Framing {
  return FRAMINGS[codec];
}

/** Takes apart a frame as the encoder made it. */
export function view(codec: Codec, frame: Bytes): View {
  if (frame.length === 0) return EMPTY;
  const framing = framingOf(codec);
  const units = framing.split(frame);
  if (units === null) return MALFORMED;
  return { ok: true, units, clear: framing.canonical(units), plaintext: gather(units) };
}
