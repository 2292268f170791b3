import { concat, equal, toHex } from "@sealcast/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CODECS, frames, nalsOf, onTheWay } from "./frames.cases.ts";
import {
  additionalData,
  assemble,
  type Codec,
  encodeHeader,
  type Parsed,
  parseSealed,
  restore,
  view,
} from "./index.ts";

/** A tag of one layer. */
const parse = (codec: Codec, frame: Uint8Array<ArrayBuffer>) => parseSealed(codec, frame, 16);
const numRuns = Number(process.env.FUZZ_SLOW_RUNS ?? 300);
const number64 = fc.tuple(fc.bigInt(0n, 2n ** 64n - 1n), fc.nat(64)).map(([value, shift]) => value >> BigInt(shift));
const ONE_UNIT: Codec[] = ["vp8", "vp9", "opus", "red"];
const TAG = Uint8Array.from({ length: 16 }, (_, i) => 0xe0 + i);

/** Where the cipher is to be: it turns runs of zeros into others, ones that need escaping as often as the plaintext's. */
function scrambled(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes, (byte, i) => (i % 7 === 3 ? byte ^ 1 : byte));
}

/** Sealing with the cipher left out: the layout does not depend on it. */
function sealed(codec: Codec, frame: Uint8Array<ArrayBuffer>, kid = 8n, counter = 300n) {
  const parts = view(codec, frame);
  if (!parts.ok) throw new Error(parts.drop);
  const header = encodeHeader(kid, counter);
  const ciphertext = concat(scrambled(parts.plaintext), TAG);
  return { ...parts, header, ciphertext, bytes: new Uint8Array(assemble(codec, parts.units, ciphertext, header)) };
}

function opened(codec: Codec, bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  const parsed = parse(codec, bytes);
  if (!parsed.ok) throw new Error(parsed.drop);
  return new Uint8Array(restore(codec, parsed.units, scrambled(parsed.sealed.slice(0, -16))));
}

/** What a tag is verified over: where it stays the same, the frame opens. */
function covered(codec: Codec, parsed: Parsed): string | null {
  if (!parsed.ok) return null;
  return `${toHex(additionalData(parsed.header, codec, "video", parsed.clear))} ${toHex(parsed.sealed)}`;
}

describe("layout", () => {
  test("places clear bytes, ciphertext, tag, header and its length", () => {
    const { bytes } = sealed("vp8", Uint8Array.of(0x11, 1, 2, 3));
    expect(toHex(bytes)).toBe(`11010203${toHex(TAG)}8908012c04`);
  });

  test("places the trailer in the last slice of H.264, and ends the others with 80", () => {
    const frame = Uint8Array.of(...[0, 0, 1, 0x09, 0x10], ...[0, 0, 1, 0x65, 0xb8, 1, 2], ...[0, 0, 1, 0x65, 0xb8, 4]);
    const { bytes } = sealed("h264", Uint8Array.of(...frame, 0, 0, 1, 6, 7));
    const slices = ["65b8010280", `65b804${toHex(TAG)}8908012c04`];
    expect(toHex(bytes)).toBe([...slices, "0607"].map((nal) => `00000001${nal}`).join(""));
  });

  test("places the trailer in the last OBU of AV1 and corrects its size", () => {
    const { bytes } = sealed("av1", Uint8Array.of(0x12, 0, 0x0a, 1, 7, 0x30, 1, 2));
    expect(toHex(bytes)).toBe(`0a010732170102${toHex(TAG)}8908012c04`);
  });

  test.each(ONE_UNIT)("a received %s frame comes apart as it was put together, without a copy", (codec) => {
    fc.assert(
      fc.property(frames(codec), number64, number64, ({ frame }, kid, counter) => {
        const { clear, header, ciphertext, bytes } = sealed(codec, frame, kid, counter);
        expect(bytes.length).toBe(frame.length + 16 + header.length + 1);
        const parsed = parse(codec, bytes);
        expect(parsed).toMatchObject({ ok: true, kid, counter: Number(counter), header, clear, sealed: ciphertext });
        expect(parsed.ok && parsed.sealed.buffer).toBe(bytes.buffer);
      }),
      { numRuns },
    );
  });

  test.each(CODECS)("a %s frame comes back, whatever the network does to it", (codec) => {
    fc.assert(
      fc.property(frames(codec), number64, number64, ({ frame, decoded }, kid, counter) => {
        const { bytes } = sealed(codec, frame, kid, counter);
        for (const arrived of [bytes, ...onTheWay(codec, bytes)])
          expect(equal(opened(codec, arrived), decoded)).toBe(true);
      }),
      { numRuns },
    );
  });

  test.each(CODECS)("no changed byte of a %s frame goes unnoticed: it is dropped or means something else", (codec) => {
    const flips = fc.integer({ min: 1, max: 255 });
    fc.assert(
      fc.property(frames(codec), number64, number64, fc.nat(), flips, ({ frame }, kid, counter, place, flip) => {
        const { bytes } = sealed(codec, frame, kid, counter);
        const before = covered(codec, parse(codec, bytes));
        expect(before).not.toBeNull();
        const at = place % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        expect(covered(codec, parse(codec, bytes))).not.toBe(before);
      }),
      { numRuns },
    );
  });

  test.each(["h264", "h265"] as const)("no start code and no end in zero comes about in a sealed %s frame", (codec) => {
    fc.assert(
      fc.property(frames(codec), number64, number64, ({ frame, units }, kid, counter) => {
        const { bytes } = sealed(codec, frame, kid, counter);
        const nals = nalsOf(bytes);
        expect(nals.map((nal, i) => toHex(nal.subarray(0, units[i]?.clear.length)))).toEqual(
          units.map(({ clear }) => toHex(clear)),
        );
        for (const nal of nals) expect(toHex(nal)).not.toMatch(/^(..)*00000[0-2]/);
        expect(bytes.length).toBe(nals.reduce((length, nal) => length + 4 + nal.length, 0));
      }),
      { numRuns },
    );
  });

  test.each<[string, number[]]>([
    ["header length 0", [...TAG, 0x00, 0]],
    ["header length 18", [...TAG, ...new Array(18).fill(0xff), 18]],
    ["header longer than its config byte says", [...TAG, 0x00, 0x00, 2]],
    ["header shorter than its config byte says", [...TAG, 0x80, 1]],
    ["KID not minimal", [...TAG, 0x80, 0x07, 2]],
    ["one byte too short", [...TAG.subarray(1), 0x00, 1]],
    ["header length alone", [1]],
  ])("%s is malformed", (_, bytes) => {
    expect(parse("opus", Uint8Array.from(bytes))).toEqual({ ok: false, drop: "malformed" });
  });

  test("the shortest frame is a tag, a header of one byte and its length", () => {
    expect(parse("opus", Uint8Array.of(...TAG, 0x12, 1))).toMatchObject({ ok: true, kid: 1n, counter: 2 });
  });

  test("a VP8 frame must hold its clear bytes before the tag", () => {
    const ending = [...TAG, 0x00, 1];
    expect(parse("vp8", Uint8Array.from(ending))).toEqual({ ok: false, drop: "malformed" });
    expect(parse("vp8", Uint8Array.of(0x10, ...new Array(8).fill(0), ...ending)).ok).toBe(false);
    expect(parse("vp8", Uint8Array.of(0x10, ...new Array(9).fill(0), ...ending)).ok).toBe(true);
  });

  test("a slice before the last one must end with 80", () => {
    const { bytes } = sealed("h264", Uint8Array.of(0, 0, 1, 0x65, 0xb8, 1, 0, 0, 1, 0x65, 0xb8, 2));
    const at = bytes.indexOf(0x80);
    expect(parse("h264", bytes).ok).toBe(true);
    for (const other of [0x00, 0x40, 0x81])
      expect(parse("h264", bytes.with(at, other))).toEqual({ ok: false, drop: "malformed" });
  });

  test.each(CODECS)("no bytes at all are empty (%s)", (codec) => {
    expect(parse(codec, new Uint8Array())).toEqual({ ok: false, drop: "empty" });
  });
});

describe("what the tag covers", () => {
  const header = Uint8Array.of(0x12);

  test("is header, version, codec, media kind and clear bytes", () => {
    expect([...additionalData(header, "vp8", "video", Uint8Array.of(0x11))]).toEqual([0x12, 1, 1, 1, 0x11]);
    expect([...additionalData(header, "vp9", "video", new Uint8Array())]).toEqual([0x12, 1, 2, 1]);
    expect([...additionalData(header, "opus", "audio", new Uint8Array())]).toEqual([0x12, 1, 3, 0]);
    expect([...additionalData(header, "red", "audio", new Uint8Array())]).toEqual([0x12, 1, 4, 0]);
    const numbers = (["h264", "h265", "av1"] as const).map(
      (codec) => additionalData(header, codec, "video", header)[2],
    );
    expect(numbers).toEqual([5, 6, 7]);
  });

  test("of several units is where each begins and ends, so that no bytes move from one to the next", () => {
    const slice = (...rest: number[]) => [0, 0, 0, 1, 0x65, 0xb8, ...rest];
    const one = view("h264", Uint8Array.of(...slice(1, 2), ...slice(3)));
    const other = view("h264", Uint8Array.of(...slice(1), ...slice(2, 3)));
    expect(one.ok && toHex(one.clear)).toBe("000000020000000265b8" + "000000020000000165b8");
    expect(one.ok && other.ok && toHex(one.plaintext) === toHex(other.plaintext)).toBe(true);
    expect(other).not.toMatchObject({ clear: one.ok && one.clear });
  });

  test.each(CODECS)("of a %s frame does not depend on what the network changes", (codec) => {
    fc.assert(
      fc.property(frames(codec), ({ frame }) => {
        const { clear, bytes } = sealed(codec, frame);
        for (const changed of onTheWay(codec, bytes)) {
          const parsed = parse(codec, changed);
          expect(parsed.ok && equal(parsed.clear, clear)).toBe(true);
        }
      }),
      { numRuns },
    );
  });
});

describe("restore", () => {
  const units = [{ clear: new Uint8Array(), body: new Uint8Array() }];

  test("hands on the plaintext's own buffer where no bytes are clear", () => {
    const plaintext = Uint8Array.of(1, 2, 3);
    expect(restore("vp9", units, plaintext)).toBe(plaintext.buffer);
  });

  test("never hands on bytes that lie around the plaintext", () => {
    const plaintext = Uint8Array.of(9, 1, 2, 9).subarray(1, 3);
    expect(new Uint8Array(restore("vp9", units, plaintext))).toEqual(Uint8Array.of(1, 2));
  });
});
