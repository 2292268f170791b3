import { concat, u32, utf8 } from "@sealcast/bytes";
import { expect, test } from "vitest";
import { hasTooManyPixels } from "./pixels.ts";

test("an image of more pixels than are shown is told by what it says of itself, however few bytes it has", async () => {
  expect(await hasTooManyPixels(png(8_193, 8_192))).toBe(true);
  expect(await hasTooManyPixels(png(8_192, 8_192))).toBe(false);
  expect(await hasTooManyPixels(new Blob(["no image"]))).toBe(false);
});

/** The beginning of one, with no line of its picture. */
function png(width: number, height: number): Blob {
  const header = concat(u32(width), u32(height), Uint8Array.of(8, 0, 0, 0, 0));
  return new Blob([Uint8Array.of(0x89), "PNG\r\n\x1a\n", chunk("IHDR", header), chunk("IDAT", new Uint8Array())]);
}

function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const body = concat(utf8(type), data);
  return concat(u32(data.length), body, u32(crc(body)));
}

/** ISO 3309. */
function crc(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
