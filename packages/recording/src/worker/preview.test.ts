import { concat, u32, utf8 } from "@sealcast/bytes";
import { expect, test } from "vitest";
import { record } from "../shared/recorded.cases.ts";
import { FilePreview } from "./preview.ts";

const secondsOf = (...parts: Uint8Array[]) => new FilePreview(new Blob([concat(...parts)])).seconds();

test("how long a recording plays, whole or cut off", async () => {
  const { bytes, ends } = await record(5);
  expect(await secondsOf(bytes)).toBeCloseTo(5, 1);
  expect(await secondsOf(bytes.subarray(0, ends[3]))).toBeGreaterThan(1);
});

test("how long a sound plays", async () => {
  const bytes = 48_000 * 2;
  const format = Uint8Array.of(16, 0, 0, 0, 1, 0, 1, 0, 0x80, 0xbb, 0, 0, 0, 0x77, 1, 0, 2, 0, 16, 0);
  const size = (length: number) => u32(length).reverse();
  const header = concat(utf8("RIFF"), size(36 + bytes), utf8("WAVEfmt "), format, utf8("data"), size(bytes));
  expect(await secondsOf(header, new Uint8Array(bytes))).toBe(1);
});

test("nothing is said of what plays not, or has others fetched", async () => {
  expect(await secondsOf(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0))).toBeNull();
  expect(await secondsOf(utf8("#EXTM3U\n#EXTINF:10,\nhttps://example.org/1.ts\n#EXT-X-ENDLIST\n"))).toBeNull();
});
