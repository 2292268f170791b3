import fc from "fast-check";
import { expect, test } from "vitest";
import { partOf } from "./ranges.ts";

const MIB = 1024 * 1024;

test.each([
  ["bytes=0-", { at: 0, length: 100 }],
  ["bytes=0-1", { at: 0, length: 2 }],
  ["bytes=99-", { at: 99, length: 1 }],
  ["bytes=90-200", { at: 90, length: 10 }],
  ["bytes=-10", { at: 90, length: 10 }],
  ["bytes=-200", { at: 0, length: 100 }],
  ["bytes=-0", null],
  ["bytes=100-", null],
  ["bytes=5-4", null],
  ["bytes=-", null],
  ["bytes=0-1,5-6", null],
  ["bytes=0x1-2", null],
  ["bytes=9007199254740993-", null],
  ["pages=0-1", null],
  ["", null],
  [null, null],
])("of 100 bytes, %s asks for %o", (range, part) => {
  expect(partOf(range, 100)).toEqual(part);
});

test("a part lies in the file, has a byte at least and 1 MiB at most", () => {
  const number = fc.oneof(fc.constant(""), fc.nat({ max: 2 ** 31 - 1 }).map(String));
  fc.assert(
    fc.property(number, number, fc.nat({ max: 2 ** 31 - 1 }), (first, last, size) => {
      const part = partOf(`bytes=${first}-${last}`, size);
      if (part === null) return;
      expect(part.at).toBeGreaterThanOrEqual(0);
      expect(part.length).toBeGreaterThan(0);
      expect(part.length).toBeLessThanOrEqual(MIB);
      expect(part.at + part.length).toBeLessThanOrEqual(size);
    }),
  );
});
