import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concat, equal, highWord, lowWord, u16, u32, u64, utf8 } from "./index.ts";

const bytes = fc.uint8Array({ maxLength: 64 });

describe("concat", () => {
  test("puts the parts one after the other", () => {
    fc.assert(
      fc.property(fc.array(bytes), (parts) => {
        expect([...concat(...parts)]).toEqual(parts.flatMap((part) => [...part]));
      }),
    );
  });
});

describe("equal", () => {
  test("is true for the same bytes only", () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(equal(a, a.slice())).toBe(true);
        expect(equal(a, b)).toBe(a.join() === b.join());
      }),
    );
  });

  test("sees a difference of one bit at any place", () => {
    const a = new Uint8Array(33);
    for (let i = 0; i < a.length * 8; i++) {
      const b = a.slice();
      b[i >> 3] = 1 << (i & 7);
      expect(equal(a, b)).toBe(false);
    }
  });

  test("is false for a prefix", () => {
    expect(equal(Uint8Array.of(0, 0), Uint8Array.of(0, 0, 0))).toBe(false);
    expect(equal(Uint8Array.of(0, 0, 0), Uint8Array.of(0, 0))).toBe(false);
  });
});

describe("integers", () => {
  test("are big-endian", () => {
    expect([...u16(0x0102)]).toEqual([1, 2]);
    expect([...u32(0xf1020304)]).toEqual([0xf1, 2, 3, 4]);
    expect([...u64(0xf102030405060708n)]).toEqual([0xf1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test.each([-1, 0.5, Number.NaN, 0x10000, 2 ** 32])("%s does not fit", (value) => {
    expect(() => u16(value)).toThrow(RangeError);
    expect(() => u32(value < 0 ? value : value + 2 ** 32)).toThrow(RangeError);
  });

  test("the largest number of each width fits, the next does not", () => {
    expect([...u16(0xffff)]).toEqual([255, 255]);
    expect([...u64(2n ** 64n - 1n)]).toEqual(new Array(8).fill(255));
    expect(() => u64(2n ** 64n)).toThrow(RangeError);
    expect(() => u64(-1n)).toThrow(RangeError);
  });
});

describe("words", () => {
  test("are the halves of 64 bits, of numbers and of bigints", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (number, big) => {
        expect(highWord(number) * 2 ** 32 + lowWord(number)).toBe(number);
        expect((BigInt(highWord(big)) << 32n) | BigInt(lowWord(big))).toBe(big);
      }),
    );
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY, -1n, -(2n ** 40n), 2n ** 64n])(
    "%s is refused",
    (value) => {
      expect(() => highWord(value)).toThrow(RangeError);
    },
  );
});

test("utf8 encodes beyond ASCII", () => {
  expect([...utf8("aé")]).toEqual([0x61, 0xc3, 0xa9]);
});
