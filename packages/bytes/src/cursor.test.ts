import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Cursor, concat, OutOfBytes, u16, u64 } from "./index.ts";

describe("Cursor", () => {
  test("reads back what was written", () => {
    fc.assert(
      fc.property(
        fc.nat(0xff),
        fc.nat(0xffff),
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.bigInt(0n, 2n ** 64n - 1n),
        fc.uint8Array(),
        fc.uint8Array(),
        (a, b, c, d, e, f) => {
          const cursor = new Cursor(concat(Uint8Array.of(a), u16(b), u16(c >>> 16), u16(c & 0xffff), u64(d), e, f));
          expect([cursor.u8(), cursor.u16(), cursor.u32(), cursor.u64()]).toEqual([a, b, c, d]);
          expect([...cursor.bytes(e.length)]).toEqual([...e]);
          expect(cursor.left).toBe(f.length);
          expect([...cursor.rest()]).toEqual([...f]);
          expect(cursor.left).toBe(0);
        },
      ),
    );
  });

  test("stays inside an array that is itself part of a larger buffer", () => {
    const cursor = new Cursor(Uint8Array.of(9, 1, 2, 9).subarray(1, 3));
    expect(cursor.u16()).toBe(0x0102);
    expect(() => cursor.u8()).toThrow(OutOfBytes);
  });

  test.each(["u8", "u16", "u32", "u64"] as const)("%s throws OutOfBytes at the end", (read) => {
    expect(() => new Cursor(new Uint8Array())[read]()).toThrow(OutOfBytes);
  });

  test("a read that fails consumes nothing", () => {
    const cursor = new Cursor(Uint8Array.of(1, 2, 3));
    expect(() => cursor.u32()).toThrow(OutOfBytes);
    expect(() => cursor.bytes(4)).toThrow(OutOfBytes);
    expect(cursor.u16()).toBe(0x0102);
  });

  test.each([-1, Number.NaN])("%s bytes are refused", (length) => {
    const cursor = new Cursor(Uint8Array.of(1, 2, 3));
    cursor.u8();
    expect(() => cursor.bytes(length)).toThrow(OutOfBytes);
  });
});
