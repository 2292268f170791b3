import { concat, toHex } from "@sealcast/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CODECS, frames } from "./frames.cases.ts";
import { codecOf, view } from "./index.ts";

const numRuns = Number(process.env.FUZZ_SLOW_RUNS ?? 300);
const MALFORMED = { ok: false, drop: "malformed" };

describe("codecOf", () => {
  test.each([
    ["video/VP8", "vp8"],
    ["video/vp9", "vp9"],
    ["video/H264", "h264"],
    ["video/H265", "h265"],
    ["video/AV1", "av1"],
    ["AUDIO/Opus", "opus"],
    ["audio/red", "red"],
  ])("%s is %s", (mimeType, codec) => {
    expect(codecOf(mimeType)).toBe(codec);
  });

  test.each([
    "",
    "video/AV1X",
    "video/H266",
    "audio/vp8",
    "video/opus",
    "vp8",
    "video/VP8 ",
    "__proto__",
    "constructor",
  ])("%j is unknown", (mimeType) => {
    expect(codecOf(mimeType)).toBeNull();
  });
});

describe("view", () => {
  const frame = (first: number, length = 20) => Uint8Array.from({ length }, (_, i) => (i === 0 ? first : i));

  test.each([
    ["vp8", 0x10, 10],
    ["vp8", 0xfe, 10],
    ["vp8", 0x11, 1],
    ["vp8", 0x01, 1],
    ["vp9", 0x82, 0],
    ["opus", 0x78, 0],
    ["red", 0x6f, 0],
  ] as const)("%s with first byte %i leaves %i bytes clear", (codec, first, clearLength) => {
    const bytes = frame(first);
    const parts = view(codec, bytes);
    expect(parts).toMatchObject({ clear: bytes.subarray(0, clearLength), plaintext: bytes.subarray(clearLength) });
    expect(parts.ok && parts.plaintext.buffer).toBe(bytes.buffer);
  });

  test("a VP8 key frame needs its 10 bytes, another frame its one", () => {
    expect(view("vp8", frame(0x10, 9))).toEqual(MALFORMED);
    expect(view("vp8", frame(0x10, 10))).toMatchObject({ ok: true, plaintext: new Uint8Array() });
    expect(view("vp8", frame(0x11, 1))).toMatchObject({ ok: true, plaintext: new Uint8Array() });
  });

  test.each(CODECS)("an empty %s frame is dropped as empty", (codec) => {
    expect(view(codec, new Uint8Array())).toEqual({ ok: false, drop: "empty" });
  });

  test.each(CODECS)("of any %s frame seals what is to be sealed, and nothing else", (codec) => {
    fc.assert(
      fc.property(frames(codec), ({ frame, units }) => {
        const parts = view(codec, frame);
        if (!parts.ok) throw new Error(parts.drop);
        const shown = (list: typeof units) => list.map(({ clear, body }) => [toHex(clear), body && toHex(body)]);
        expect(shown([...parts.units])).toEqual(shown(units));
        expect(parts.plaintext).toEqual(concat(...units.flatMap(({ body }) => body ?? [])));
      }),
      { numRuns },
    );
  });

  test.each(["h264", "av1"] as const)("of %s with one sealed unit takes no copy of it", (codec) => {
    const frame = codec === "h264" ? [0, 0, 0, 1, 0x61, 0xe0, 1, 2, 3] : [0x12, 0, 0x32, 3, 1, 2, 3];
    const parts = view(codec, Uint8Array.from(frame));
    expect(parts).toMatchObject({ ok: true, plaintext: Uint8Array.of(1, 2, 3) });
    expect(parts.ok && parts.plaintext.byteOffset).toBeGreaterThan(0);
  });
});

describe("H.264", () => {
  const [SPS, SLICE] = [
    [0, 0, 0, 1, 0x67, 0x42],
    [0, 0, 0, 1, 0x65, 0xb8, 7],
  ];

  test("of a key frame shows parameter sets, and of a slice the header through the picture parameter set's id", () => {
    // As Chromium makes them: 65 b8 is an instantaneous refresh, first macroblock 0, slice type 7, parameter set 0.
    const slice = [0, 0, 0, 1, 0x65, 0xb8, 0x00, 0x04];
    const parts = view("h264", Uint8Array.from([...SPS, 0, 0, 0, 1, 0x68, 0xce, 0x3c, 0x80, ...slice]));
    expect(parts.ok && parts.units.map(({ clear }) => toHex(clear))).toEqual(["6742", "68ce3c80", "65b8"]);
    expect(parts).toMatchObject({ plaintext: Uint8Array.of(0x00, 0x04) });
  });

  test.each<[string, number[]]>([
    ["without a start code", [0x65, 0xb8, 7]],
    ["that begins with something else", [1, ...SLICE]],
    ["without a slice", SPS],
    ["with an empty NAL unit", [0, 0, 1, 0, 0, 1, 0x65, 0xb8, 7]],
    ["whose forbidden bit is set", [0, 0, 1, 0xe5, 0xb8, 7]],
    ["whose slice header ends early", [0, 0, 1, 0x65, 0x01]],
    [
      "whose slice header has a code of 33 bits and more",
      [0, 0, 1, 0x65, 0, 0, 3, 0, 0, 3, 1, ...new Array(20).fill(255)],
    ],
    ...[0, 2, 3, 4, 16, 19, 20, 21, 24, 28, 31].map((type): [string, number[]] => [
      `with a NAL unit of type ${type}`,
      [...SLICE, 0, 0, 1, type, 0xb8, 7],
    ]),
  ])("a frame %s is malformed", (_, bytes) => {
    expect(view("h264", Uint8Array.from(bytes))).toEqual(MALFORMED);
  });
});

describe("H.265", () => {
  test("of a picture to start at leaves two flags and the id clear, of another one flag and the id", () => {
    const parts = view("h265", Uint8Array.of(...[0, 0, 1, 0x26, 1, 0xa0, 9], ...[0, 0, 1, 0x02, 1, 0xc0, 9]));
    expect(parts.ok && parts.units.map(({ clear }) => toHex(clear))).toEqual(["2601a0", "0201c0"]);
  });

  test.each([10, 15, 22, 31, 41, 48, 63])("a frame with a NAL unit of type %i is malformed", (type) => {
    const slice = [0, 0, 1, 0x26, 1, 0xa0, 9];
    expect(view("h265", Uint8Array.of(...slice)).ok).toBe(true);
    expect(view("h265", Uint8Array.of(...slice, 0, 0, 1, type << 1, 1, 0xa0, 9))).toEqual(MALFORMED);
  });
});

describe("AV1", () => {
  test.each<[string, number[]]>([
    ["of nothing but a delimiter", [0x12, 0]],
    ["whose forbidden bit is set", [0xb2, 1, 7]],
    ["whose OBU is longer than the frame", [0x32, 3, 1, 2]],
    ["whose extension is missing", [0x34]],
    ["whose size is missing", [0x32]],
    ["whose size does not end", [0x32, 0x80, 0x80]],
    ["whose size has more than 8 bytes", [0x32, 0x81, ...new Array(7).fill(0x80), 0, 7]],
  ])("a frame %s is malformed", (_, bytes) => {
    expect(view("av1", Uint8Array.from(bytes))).toEqual(MALFORMED);
  });
});
