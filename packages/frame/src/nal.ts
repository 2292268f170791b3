import { concat } from "@sealcast/bytes";
import { escaped, findAfterZeros, unescaped } from "./emulation.ts";
import { type Bytes, type FrameUnit, type Framing, lastSealed, listed } from "./unit.ts";

/**
 * H.264 and H.265 byte streams (Annex B): NAL units behind start codes. Of a slice, its NAL header and its slice header
 * through the picture parameter set's id stay clear, since packetizers read them; the rest is sealed and escaped. The
 * other known units stay clear as a whole; delimiters and filler are dropped. Start codes, and zero bytes before them,
 * are no part of the canonical form.
 */

type Kind = "slice" | "clear" | "dropped";

/** What differs between the two codecs. */
interface Syntax {
  typeOf(nal: Bytes): number;
  /** By type. Of a type that is not here it is not known what it may show: no frame with one passes. */
  kinds: ReadonlyMap<number, Kind>;
  /** How many bytes of a slice stay clear; null: it ends before. */
  clearLength(slice: Bytes): number | null;
}

const FORBIDDEN = 0x80;
const START_CODE = Uint8Array.of(0, 0, 0, 1);
/** Ends every sealed slice but the last, which the trailer ends: a zero byte at the end of a NAL unit gets lost. */
const STOP = 0x80;
/** An Exp-Golomb code has at most this many leading zeros (H.264 section 9.1, H.265 section 9.2). */
const MAX_ZEROS = 31;

/** H.264 table 7-1; section 7.3.3: first_mb_in_slice, slice_type and the id are the slice header's first codes. */
export const H264 = framing({
  typeOf: h264Type,
  kinds: kinds({ slice: [1, 5], clear: [6, 7, 8, 10, 11, 13, 14, 15], dropped: [9, 12] }),
  clearLength: (slice) => clearLength(slice, { header: 1, flags: 0, codes: 3 }),
});

/** H.265 table 7-1; section 7.3.6.1: before the id's code one flag, and a second in pictures to start at (16 to 23). */
export const H265 = framing({
  typeOf: h265Type,
  kinds: kinds({
    slice: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18, 19, 20, 21],
    clear: [32, 33, 34, 36, 37, 39, 40],
    dropped: [35, 38],
  }),
  clearLength: (slice) => clearLength(slice, { header: 2, flags: h265Type(slice) < 16 ? 1 : 2, codes: 1 }),
});

function framing(syntax: Syntax): Framing {
  return {
    split: (frame) => split(frame, syntax),
    join,
    splitSealed: (frame) => withoutEscapes(split(frame, syntax)),
    joinSealed: (units, trailer) => join(withEscapes(units, trailer)),
    canonical: listed,
  };
}

function h264Type(nal: Bytes): number {
  return (nal[0] ?? 0) & 0x1f;
}

function h265Type(nal: Bytes): number {
  return ((nal[0] ?? 0) >> 1) & 0x3f;
}

function kinds(types: Readonly<Record<Kind, number[]>>): ReadonlyMap<number, Kind> {
  const of = (kind: Kind) => types[kind].map((type): [number, Kind] => [type, kind]);
  return new Map([...of("slice"), ...of("clear"), ...of("dropped")]);
}

function split(frame: Bytes, syntax: Syntax): FrameUnit[] | null {
  const units: FrameUnit[] = [];
  let start = startCodeEnd(frame, 0);
  if (withoutZeros(frame.subarray(0, Math.max(start - 3, 0))).length > 0) return null;
  while (start >= 0) {
    const next = startCodeEnd(frame, start);
    const nal = withoutZeros(frame.subarray(start, next < 0 ? frame.length : next - 3));
    const unit = unitOf(nal, syntax);
    if (unit === null) return null;
    if (unit !== "dropped") units.push(unit);
    start = next;
  }
  return lastSealed(units) < 0 ? null : units;
}

function unitOf(nal: Bytes, syntax: Syntax): FrameUnit | "dropped" | null {
  const kind = syntax.kinds.get(syntax.typeOf(nal));
  if (nal.length === 0 || ((nal[0] ?? 0) & FORBIDDEN) !== 0) return null;
  if (kind === "dropped") return "dropped";
  if (kind === "clear") return { clear: nal, body: null };
  const length = kind === "slice" ? syntax.clearLength(nal) : null;
  return length === null ? null : { clear: nal.subarray(0, length), body: nal.subarray(length) };
}

/** Where the NAL unit behind the next start code begins; -1: there is none. */
function startCodeEnd(frame: Bytes, from: number): number {
  let at = findAfterZeros(frame, from);
  while (at >= 0 && frame[at] !== 1) at = findAfterZeros(frame, at - 1);
  return at < 0 ? -1 : at + 1;
}

function withoutZeros(nal: Bytes): Bytes {
  let end = nal.length;
  while (end > 0 && nal[end - 1] === 0) end--;
  return nal.subarray(0, end);
}

/** How many bytes of a slice reach through `flags` bits and then `codes` Exp-Golomb codes behind its NAL header. */
function clearLength(slice: Bytes, { header, flags, codes }: Record<"header" | "flags" | "codes", number>) {
  const bits = new Bits(slice, header);
  for (let i = 0; i < flags; i++) bits.read();
  for (let i = 0; i < codes; i++) {
    let zeros = 0;
    while (bits.read() === 0) if (++zeros > MAX_ZEROS) return null;
    for (; zeros > 0; zeros--) bits.read();
  }
  return bits.end;
}

/** Reads a NAL unit's bits, passing over emulation prevention. Behind its end all bits are 0. */
class Bits {
  readonly #nal: Bytes;
  #at: number;
  #mask = 1;

  constructor(nal: Bytes, start: number) {
    this.#nal = nal;
    this.#at = start - 1;
  }

  read(): number {
    this.#mask >>= 1;
    if (this.#mask === 0) {
      this.#mask = 0x80;
      this.#at++;
      if (isPrevention(this.#nal, this.#at)) this.#at++;
    }
    return ((this.#nal[this.#at] ?? 0) & this.#mask) === 0 ? 0 : 1;
  }

  /** The index behind the byte that was read last; null: that lies behind the end. */
  get end(): number | null {
    return this.#at < this.#nal.length ? this.#at + 1 : null;
  }
}

function isPrevention(nal: Bytes, at: number): boolean {
  return nal[at] === 3 && nal[at - 1] === 0 && nal[at - 2] === 0;
}

function withEscapes(units: readonly FrameUnit[], trailer: Uint8Array): FrameUnit[] {
  const last = lastSealed(units);
  return units.map(({ clear, body }, index) => {
    if (body === null) return { clear, body };
    return { clear, body: escaped(clear, concat(body, index === last ? trailer : Uint8Array.of(STOP))) };
  });
}

function withoutEscapes(units: readonly FrameUnit[] | null): FrameUnit[] | null {
  if (units === null) return null;
  const last = lastSealed(units);
  const plain: FrameUnit[] = [];
  for (const [index, { clear, body }] of units.entries()) {
    const sealed = body && unescaped(clear, body);
    if (sealed === null || index === last) plain.push({ clear, body: sealed });
    else if (sealed.at(-1) === STOP) plain.push({ clear, body: sealed.subarray(0, -1) });
    else return null;
  }
  return plain;
}

function join(units: readonly FrameUnit[]): Bytes {
  return concat(
    ...units.flatMap(({ clear, body }) => (body === null ? [START_CODE, clear] : [START_CODE, clear, body])),
  );
}
