import { expect, test } from "vitest";
import { randomText } from "./random.ts";

test("no two are equal, however many are taken, and each has its length", () => {
  const taken = Array.from({ length: 2_000 }, (_, i) => randomText(i % 2 === 0 ? 16 : 32));
  expect(new Set(taken).size).toBe(2_000);
  for (const [i, text] of taken.entries()) expect(text).toHaveLength(i % 2 === 0 ? 22 : 43);
});

test("every bit of a text is as often 1 as 0", () => {
  const ones = new Array<number>(128).fill(0);
  for (let i = 0; i < 1_000; i++) {
    const bytes = Buffer.from(randomText(16), "base64url");
    for (const bit of ones.keys()) ones[bit] = (ones[bit] ?? 0) + ((bytes.readUInt8(bit >> 3) >> (bit & 7)) & 1);
  }
  for (const count of ones) expect(Math.abs(count - 500)).toBeLessThan(120);
});
