import { equal, fromHex } from "@sealcast/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { headerVectorCases } from "./header.cases.ts";
import { encodeHeader, parseHeader } from "./index.ts";

const numRuns = Number(process.env.FUZZ_RUNS ?? 500);
const MAX = 2n ** 64n - 1n;

/** Numbers of every length, not just the long ones that a uniform choice would give. */
const number64 = fc.tuple(fc.bigInt(0n, MAX), fc.nat(64)).map(([value, shift]) => value >> BigInt(shift));

headerVectorCases();

describe("header", () => {
  test("reads back what was written, in 1 to 17 bytes", () => {
    fc.assert(
      fc.property(number64, number64, (kid, counter) => {
        const header = encodeHeader(kid, counter);
        const parsed = parseHeader(header);
        if (header.length < 1 || header.length > 17) throw new Error(`${header.length} bytes`);
        if (parsed?.kid !== kid || parsed.counter !== counter) throw new Error("other numbers");
      }),
      { numRuns },
    );
  });

  test("accepts of all bytes only what encodeHeader writes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        const parsed = parseHeader(bytes);
        if (parsed !== null && !equal(encodeHeader(parsed.kid, parsed.counter), bytes)) throw new Error("other bytes");
      }),
      { numRuns },
    );
  });

  test("every config byte implies one length", () => {
    for (let config = 0; config < 256; config++) {
      const kidBytes = config & 0x80 ? ((config >> 4) & 7) + 1 : 0;
      const counterBytes = config & 0x08 ? (config & 7) + 1 : 0;
      const header = new Uint8Array(1 + kidBytes + counterBytes).fill(0xff);
      header[0] = config;
      expect(parseHeader(header)).not.toBeNull();
      expect(parseHeader(header.subarray(0, -1))).toBeNull();
      expect(parseHeader(Uint8Array.of(...header, 0xff))).toBeNull();
    }
  });

  test.each([
    ["KID 7 in a byte of its own", "8007"],
    ["counter 7 in a byte of its own", "0807"],
    ["KID 8 in two bytes", "900008"],
    ["counter 255 in two bytes", "0900ff"],
    ["KID 0 in eight bytes", "f00000000000000000"],
    ["counter 2^32 in six bytes", "0d000100000000"],
  ])("%s is refused: not minimal", (_, header) => {
    expect(parseHeader(fromHex(header) ?? new Uint8Array())).toBeNull();
  });

  test("nothing is no header", () => {
    expect(parseHeader(new Uint8Array())).toBeNull();
  });

  test.each([-1n, MAX + 1n])("%s cannot be written", (value) => {
    expect(() => encodeHeader(value, 0n)).toThrow(RangeError);
    expect(() => encodeHeader(0n, value)).toThrow(RangeError);
  });
});
