import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeHeader, type Kid, packKid, SOURCES, unpackKid } from "./index.ts";

const numRuns = Number(process.env.FUZZ_RUNS ?? 500);
const kid: Kid = { instance: 0, source: "microphone", sealed: true, leaf: 0, epoch: 0 };
const kids: fc.Arbitrary<Kid> = fc.record({
  instance: fc.integer({ min: 0, max: 2 ** 51 - 1 }),
  source: fc.constantFrom(...SOURCES),
  sealed: fc.boolean(),
  leaf: fc.nat(63),
  epoch: fc.nat(1000),
});

describe("KID", () => {
  test("has its fields where the layout says", () => {
    expect(packKid({ ...kid, sealed: false })).toBe(0n);
    expect(packKid({ ...kid, sealed: false, epoch: 0x2b })).toBe(0xbn);
    expect(packKid({ ...kid, sealed: false, leaf: 63 })).toBe(63n << 4n);
    expect(packKid(kid)).toBe(1n << 10n);
    expect(packKid({ ...kid, sealed: false, source: "camera" })).toBe(1n << 11n);
    expect(packKid({ ...kid, sealed: false, source: "screen-sound" })).toBe(2n << 11n);
    expect(packKid({ ...kid, sealed: false, source: "screen-picture" })).toBe(3n << 11n);
    expect(packKid({ ...kid, sealed: false, instance: 1 })).toBe(4n << 11n);
  });

  test("reads back, the epoch mod 16", () => {
    fc.assert(
      fc.property(kids, (fields) => {
        expect(unpackKid(packKid(fields))).toEqual({ ...fields, epoch: fields.epoch % 16 });
      }),
      { numRuns },
    );
  });

  test("every number of 64 bits is one KID", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (number) => {
        if (packKid(unpackKid(number)) !== number) throw new Error("another KID");
      }),
      { numRuns },
    );
  });

  test.each<[Partial<Kid>, string]>([
    [{ leaf: 64 }, "leaf 64 is not a whole number in 0..63"],
    [{ leaf: -1 }, "leaf -1 is not a whole number in 0..63"],
    [{ leaf: 0.5 }, "leaf 0.5 is not a whole number in 0..63"],
    [{ instance: 2 ** 51 }, `instance ${2 ** 51} is not a whole number in 0..${2 ** 51 - 1}`],
    [{ instance: -1 }, `instance -1 is not a whole number in 0..${2 ** 51 - 1}`],
    [{ epoch: -1 }, `epoch -1 is not a whole number in 0..${Number.MAX_SAFE_INTEGER - 1}`],
    [{ epoch: Number.NaN }, `epoch NaN is not a whole number in 0..${Number.MAX_SAFE_INTEGER - 1}`],
  ])("%j is refused: it would be another's KID", (field, words) => {
    expect(() => packKid({ ...kid, ...field })).toThrow(new RangeError(words));
  });

  test.each([-1n, 2n ** 64n])("%s is no KID", (number) => {
    expect(() => unpackKid(number)).toThrow(new RangeError(`KID ${number} is not in 0..2^64-1`));
  });

  test("a sealed frame grows by at most 24 bytes while instances stay below 2048 and counters below 2^24", () => {
    const largest = packKid({ instance: 2047, source: "screen-picture", sealed: true, leaf: 63, epoch: 15 });
    expect(16 + encodeHeader(largest, 2n ** 24n - 1n).length + 1).toBe(24);
  });
});
