import { concat, equal, toHex } from "@sealcast/bytes";
import fc from "fast-check";
import { describe, test } from "vitest";
import { CODECS, frames, zeroRich } from "./frames.cases.ts";
import { assemble, type Codec, encodeHeader, parseSealed, restore, view } from "./index.ts";

/**
 * The parsers of frames against bytes that no encoder made. `npm run fuzz` gives each property a million cases, so what
 * holds is compared in plain code: expect() would take longer than the parsers.
 */

type Bytes = Uint8Array<ArrayBuffer>;

const numRuns = Number(process.env.FUZZ_RUNS ?? 300);
const anyBytes = fc.oneof(fc.uint8Array({ maxLength: 48 }), zeroRich);
/** What a frame may begin and end with, so that parsers look at what lies between. */
const BEGINNINGS: Partial<Record<Codec, number[]>> = { h264: [0, 0, 1, 0x65], h265: [0, 0, 1, 0x26, 1], av1: [0x30] };
const TRAILER_END = Uint8Array.of(0x12, 1);
const TAG = Uint8Array.of(0, 0, 1, 0, 0, 0, 3, 9, 8, 7, 6, 5, 4, 0, 0, 2);
const HEADERS = [encodeHeader(1n, 2n), encodeHeader(8n, 0x01_0000n), encodeHeader(2n ** 63n, 2n ** 40n)];

/** At a place some bytes go, or all behind it, and others come. */
const edits = fc.array(
  fc.tuple(fc.nat(1023), fc.constantFrom(0, 1, 2, 3, Number.POSITIVE_INFINITY), fc.uint8Array({ maxLength: 3 })),
  { minLength: 1, maxLength: 4 },
);

describe("any bytes", () => {
  test.each(CODECS)("are a %s frame that comes back from its parts, or dropped", (codec) => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        for (const any of [bytes, concat(Uint8Array.from(BEGINNINGS[codec] ?? []), bytes, TRAILER_END)]) {
          checkView(codec, any);
          checkSealed(codec, any);
        }
      }),
      { numRuns },
    );
  });

  test.each(CODECS)("of a %s frame come back from its sealed form", (codec) => {
    fc.assert(
      fc.property(frames(codec), fc.constantFrom(...HEADERS), ({ frame, decoded }, header) => {
        const parsed = parseSealed(codec, sealed(codec, frame, header), TAG.length);
        if (!parsed.ok) throw new Error(parsed.drop);
        holds(equal(parsed.header, header), "header");
        const plaintext = parsed.sealed.slice(0, -TAG.length);
        holds(equal(new Uint8Array(restore(codec, parsed.units, plaintext)), decoded), "frame");
      }),
      { numRuns },
    );
  });

  test.each(CODECS)("that once were a %s frame are one that comes back from its parts, or dropped", (codec) => {
    fc.assert(
      fc.property(frames(codec), fc.constantFrom(...HEADERS), edits, ({ frame }, header, list) => {
        checkView(codec, edited(frame, list));
        checkSealed(codec, edited(sealed(codec, frame, header), list));
      }),
      { numRuns },
    );
  });

  test("end in a trailer as the layout says, or are malformed", () => {
    fc.assert(
      fc.property(trailed, fc.constantFrom(16, 32), (frame, tag) => {
        const parsed = parseSealed("opus", frame, tag);
        const expected = trailerOf(frame, tag);
        holds(parsed.ok === (expected !== null), "taken for a frame exactly where the layout says so");
        if (!parsed.ok || expected === null) return;
        holds(parsed.kid === expected.kid && parsed.counter === Number(expected.counter), "KID and counter");
        holds(equal(parsed.header, expected.header) && equal(parsed.sealed, expected.sealed), "header and ciphertext");
      }),
      { numRuns },
    );
  });
});

function checkView(codec: Codec, bytes: Bytes): void {
  const frame = amidst(bytes);
  const parts = view(codec, frame);
  if (!parts.ok) return holds(parts.drop === (bytes.length === 0 ? "empty" : "malformed"), "reason");
  checkPlaces(frame, parts.units);
  const again = view(codec, new Uint8Array(restore(codec, parts.units, parts.plaintext)));
  holds(again.ok && equal(again.clear, parts.clear) && equal(again.plaintext, parts.plaintext), "the same when joined");
}

function checkSealed(codec: Codec, bytes: Bytes): void {
  const frame = amidst(bytes);
  const parsed = parseSealed(codec, frame, TAG.length);
  if (!parsed.ok) return holds(parsed.drop === (bytes.length === 0 ? "empty" : "malformed"), "reason");
  checkPlaces(frame, parsed.units);
  const { kid, counter, clear } = parsed;
  const again = parseSealed(
    codec,
    new Uint8Array(assemble(codec, parsed.units, parsed.sealed, parsed.header)),
    TAG.length,
  );
  holds(again.ok && again.kid === kid && again.counter === counter, "the same numbers when joined");
  holds(again.ok && equal(again.clear, clear) && equal(again.sealed, parsed.sealed), "the same bytes when joined");
}

/** Parts are of the frame alone and lie one behind the other; those that had to be copied take no more room. */
function checkPlaces(frame: Bytes, units: readonly { clear: Bytes; body: Bytes | null }[]): void {
  let end = frame.byteOffset;
  let length = 0;
  for (const part of units.flatMap(({ clear, body }) => (body === null ? [clear] : [clear, body]))) {
    length += part.length;
    if (part.buffer !== frame.buffer) continue;
    holds(part.byteOffset >= end, "no part begins before the one before it ends");
    end = part.byteOffset + part.length;
  }
  holds(end <= frame.byteOffset + frame.length, "no part reaches beyond the frame");
  holds(length <= frame.length, "the parts are no longer than the frame");
}

function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(`does not hold: ${what}`);
}

/** The same bytes with others around them in their buffer. */
function amidst(bytes: Bytes): Bytes {
  const around = new Uint8Array(bytes.length + 16).fill(1);
  around.set(bytes, 8);
  return around.subarray(8, 8 + bytes.length);
}

function edited(bytes: Bytes, list: readonly [number, number, Bytes][]): Bytes {
  const all = [...bytes];
  for (const [at, gone, come] of list) all.splice(at % (all.length + 1), gone, ...come);
  return Uint8Array.from(all);
}

/** Sealing with the cipher left out: the layout does not depend on it. */
function sealed(codec: Codec, frame: Bytes, header: Uint8Array): Bytes {
  const parts = view(codec, frame);
  if (!parts.ok) throw new Error(parts.drop);
  return new Uint8Array(assemble(codec, parts.units, concat(parts.plaintext, TAG), header));
}

/** Frames with any config byte, and behind it mostly as many bytes as it implies. */
const trailed = fc
  .tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(255), fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.nat(59))
  .map(([before, config, numbers, end]) => {
    const length = 1 + lengthOf(config >> 4) + lengthOf(config & 15);
    return Uint8Array.of(...before, config, ...numbers.subarray(0, length - 1), end < 20 ? end : length);
  });

/** The trailer as PROTOCOL.md has it, in the plainest form. Null: there is none. */
function trailerOf(frame: Bytes, tag: number) {
  const length = frame.at(-1) ?? 0;
  if (length < 1 || length > 17 || frame.length < tag + length + 1) return null;
  const header = frame.slice(-1 - length, -1);
  const config = header[0] ?? 0;
  const kidEnd = 1 + lengthOf(config >> 4);
  if (length !== kidEnd + lengthOf(config & 15)) return null;
  const kid = numberOf(config >> 4, header.subarray(1, kidEnd));
  const counter = numberOf(config & 15, header.subarray(kidEnd));
  return kid === null || counter === null ? null : { kid, counter, header, sealed: frame.slice(0, -1 - length) };
}

function lengthOf(nibble: number): number {
  return nibble < 8 ? 0 : nibble - 7;
}

/** Null: it would have fitted into less. */
function numberOf(nibble: number, bytes: Bytes): bigint | null {
  const value = bytes.length === 0 ? BigInt(nibble) : BigInt(`0x${toHex(bytes)}`);
  if (bytes.length > 0 && (value < 8n || bytes[0] === 0)) return null;
  return value;
}
