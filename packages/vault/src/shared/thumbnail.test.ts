import { u16 } from "@sealcast/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jpegOf } from "./thumbnail.cases.ts";
import { isSmallJpeg } from "./thumbnail.ts";

describe("a thumbnail", () => {
  it.each([0xffc0, 0xffc1, 0xffc2])("is a JPEG of at most 640 pixels a side, of any frame that is shown", (frame) => {
    expect(isSmallJpeg(jpegOf(640, 640, frame))).toBe(true);
    expect(isSmallJpeg(jpegOf(1, 1, frame))).toBe(true);
  });

  it.each([
    [641, 1],
    [1, 641],
    [65_535, 65_535],
    [0, 1],
    [1, 0],
  ])("has no side of %d and %d", (width, height) => {
    expect(isSmallJpeg(jpegOf(width, height))).toBe(false);
  });

  it.each([
    ["another kind of file", new TextEncoder().encode("RIFF....WEBPVP8L")],
    ["a frame that no browser shows", jpegOf(1, 1, 0xffc3)],
    ["a picture before its frame", jpegOf(1, 1).with(3, 0xda)],
    ["what is no marker", jpegOf(1, 1).with(2, 0x7f)],
    ["no second byte of its beginning", jpegOf(1, 1).with(1, 0)],
    ["a segment shorter than its length", new Uint8Array([...u16(0xffd8), ...u16(0xffe0), ...u16(1), ...u16(0xffc0)])],
  ])("is not %s", (_, bytes) => {
    expect(isSmallJpeg(bytes)).toBe(false);
  });

  it("that is cut off, or of any bytes, is none", () => {
    const whole = jpegOf(160, 90);
    for (let length = 0; length < whole.length - 1; length++) expect(isSmallJpeg(whole.slice(0, length))).toBe(false);
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => !isSmallJpeg(bytes)));
  });
});
