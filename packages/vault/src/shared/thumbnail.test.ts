import { Cursor, concat, u16 } from "@sealcast/bytes";
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

  it.each([
    ["a restart marker", [0xff, 0xd0]],
    ["a fill byte", [0xff]],
  ])("has no large frame behind %s, where a length would have it skipped", (_, before) => {
    const frame = 8;
    const start = concat(u16(0xffd8), Uint8Array.from(before), jpegOf(23_000, 23_000).subarray(frame));
    const skipped = new Uint8Array(4 + new Cursor(start.subarray(4)).u16());
    skipped.set(start);
    expect(isSmallJpeg(concat(skipped, jpegOf(1, 1).subarray(frame)))).toBe(false);
  });

  it.each([0xffc4, 0xffdb, 0xffdd, 0xffef, 0xfffe])("may have the segment %d before its frame", (marker) => {
    expect(isSmallJpeg(concat(u16(0xffd8), u16(marker), u16(4), u16(0), jpegOf(1, 1).subarray(8)))).toBe(true);
  });

  it("that is cut off, or of any bytes, is none", () => {
    const whole = jpegOf(160, 90);
    for (let length = 0; length < whole.length - 1; length++) expect(isSmallJpeg(whole.slice(0, length))).toBe(false);
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => !isSmallJpeg(bytes)));
  });
});
