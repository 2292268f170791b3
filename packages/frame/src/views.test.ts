import { describe, expect, test } from "vitest";
import { codecOf, view } from "./index.ts";

describe("codecOf", () => {
  test.each([
    ["video/VP8", "vp8"],
    ["video/vp9", "vp9"],
    ["AUDIO/Opus", "opus"],
    ["audio/red", "red"],
  ])("%s is %s", (mimeType, codec) => {
    expect(codecOf(mimeType)).toBe(codec);
  });

  test.each([
    "",
    "video/H264",
    "video/AV1",
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
    expect(parts).toEqual({ ok: true, clear: bytes.subarray(0, clearLength), rest: bytes.subarray(clearLength) });
    expect(parts.ok && parts.rest.buffer).toBe(bytes.buffer);
  });

  test("a VP8 key frame needs its 10 bytes, another frame its one", () => {
    expect(view("vp8", frame(0x10, 9))).toEqual({ ok: false, drop: "malformed" });
    expect(view("vp8", frame(0x10, 10))).toMatchObject({ ok: true, rest: new Uint8Array() });
    expect(view("vp8", frame(0x11, 1))).toMatchObject({ ok: true, rest: new Uint8Array() });
  });

  test.each(["vp8", "vp9", "opus", "red"] as const)("an empty %s frame is dropped as empty", (codec) => {
    expect(view(codec, new Uint8Array())).toEqual({ ok: false, drop: "empty" });
  });
});
