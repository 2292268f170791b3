import { concat, toHex } from "@sealcast/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assemble, authenticated, type Codec, encodeHeader, type Parsed, parseSealed, restore, view } from "./index.ts";

const numRuns = Number(process.env.FUZZ_RUNS ?? 500);
const codecs = fc.constantFrom<Codec[]>("vp8", "vp9", "opus", "red");
const number64 = fc.tuple(fc.bigInt(0n, 2n ** 64n - 1n), fc.nat(64)).map(([value, shift]) => value >> BigInt(shift));
const frames = fc.uint8Array({ minLength: 10, maxLength: 60 });
const TAG = Uint8Array.from({ length: 16 }, (_, i) => 0xe0 + i);

/** Sealing with the cipher left out: the layout does not depend on it. */
function sealed(codec: Codec, frame: Uint8Array, kid: bigint, counter: bigint) {
  const parts = view(codec, frame);
  if (!parts.ok) throw new Error(parts.drop);
  const header = encodeHeader(kid, counter);
  return {
    clear: parts.clear,
    rest: parts.rest,
    header,
    bytes: assemble(parts.clear, concat(parts.rest, TAG), header),
  };
}

function meaning(parsed: Parsed): string {
  if (!parsed.ok) return parsed.drop;
  return [parsed.kid, parsed.counter, toHex(parsed.clear), toHex(parsed.sealed)].join();
}

describe("layout", () => {
  test("places clear bytes, ciphertext, tag, header and its length", () => {
    const frame = Uint8Array.of(0x11, 1, 2, 3);
    const { bytes } = sealed("vp8", frame, 8n, 300n);
    expect(toHex(new Uint8Array(bytes))).toBe(`11010203${toHex(TAG)}8908012c04`);
  });

  test("a received frame comes apart as it was put together, without a copy", () => {
    fc.assert(
      fc.property(codecs, frames, number64, number64, (codec, frame, kid, counter) => {
        const { clear, rest, header, bytes } = sealed(codec, frame, kid, counter);
        expect(bytes.byteLength).toBe(frame.length + 16 + header.length + 1);
        const parsed = parseSealed(codec, new Uint8Array(bytes));
        expect(parsed).toEqual({ ok: true, kid, counter, header, clear, sealed: concat(rest, TAG) });
        if (!parsed.ok) return;
        expect(parsed.sealed.buffer).toBe(bytes);
        expect(new Uint8Array(restore(parsed.clear, parsed.sealed.slice(0, -16)))).toEqual(frame);
      }),
      { numRuns },
    );
  });

  test("no changed byte goes unnoticed: the frame is dropped or means something else", () => {
    const flips = fc.integer({ min: 1, max: 255 });
    fc.assert(
      fc.property(codecs, frames, number64, number64, fc.nat(), flips, (codec, frame, kid, counter, place, flip) => {
        const bytes = new Uint8Array(sealed(codec, frame, kid, counter).bytes);
        const before = meaning(parseSealed(codec, bytes));
        const at = place % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        expect(meaning(parseSealed(codec, bytes))).not.toBe(before);
      }),
      { numRuns },
    );
  });

  test("any bytes are dropped for a reason or are exactly a frame that assemble writes", () => {
    const trailer = fc
      .tuple(fc.uint8Array({ maxLength: 50 }), fc.nat(19))
      .map(([bytes, end]) => Uint8Array.of(...bytes, end));
    fc.assert(
      fc.property(codecs, fc.oneof(fc.uint8Array({ maxLength: 50 }), trailer), (codec, bytes) => {
        const parsed = parseSealed(codec, bytes);
        if (!parsed.ok) expect(["empty", "malformed"]).toContain(parsed.drop);
        else expect(new Uint8Array(assemble(parsed.clear, parsed.sealed, parsed.header))).toEqual(bytes);
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
    expect(parseSealed("opus", Uint8Array.from(bytes))).toEqual({ ok: false, drop: "malformed" });
  });

  test("the shortest frame is a tag, a header of one byte and its length", () => {
    expect(parseSealed("opus", Uint8Array.of(...TAG, 0x12, 1))).toMatchObject({ ok: true, kid: 1n, counter: 2n });
  });

  test("a VP8 frame must hold its clear bytes before the tag", () => {
    const ending = [...TAG, 0x00, 1];
    expect(parseSealed("vp8", Uint8Array.from(ending))).toEqual({ ok: false, drop: "malformed" });
    expect(parseSealed("vp8", Uint8Array.of(0x10, ...new Array(8).fill(0), ...ending)).ok).toBe(false);
    expect(parseSealed("vp8", Uint8Array.of(0x10, ...new Array(9).fill(0), ...ending)).ok).toBe(true);
  });

  test("no bytes at all are empty", () => {
    expect(parseSealed("opus", new Uint8Array())).toEqual({ ok: false, drop: "empty" });
  });
});

describe("authenticated", () => {
  const header = Uint8Array.of(0x12);

  test("is header, version, codec, media kind and clear bytes", () => {
    expect([...authenticated(header, "vp8", "video", Uint8Array.of(0x11))]).toEqual([0x12, 1, 1, 1, 0x11]);
    expect([...authenticated(header, "vp9", "video", new Uint8Array())]).toEqual([0x12, 1, 2, 1]);
    expect([...authenticated(header, "opus", "audio", new Uint8Array())]).toEqual([0x12, 1, 3, 0]);
    expect([...authenticated(header, "red", "audio", new Uint8Array())]).toEqual([0x12, 1, 4, 0]);
  });
});

describe("restore", () => {
  test("hands on the plaintext's own buffer where no bytes are clear", () => {
    const plaintext = Uint8Array.of(1, 2, 3);
    expect(restore(new Uint8Array(), plaintext)).toBe(plaintext.buffer);
  });

  test("never hands on bytes that lie around the plaintext", () => {
    const plaintext = Uint8Array.of(9, 1, 2, 9).subarray(1, 3);
    expect(new Uint8Array(restore(new Uint8Array(), plaintext))).toEqual(Uint8Array.of(1, 2));
  });
});
