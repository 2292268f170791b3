import fc from "fast-check";
import { expect, test } from "vitest";
import { delays, STAMPS, squares, stampOf } from "./stamp.ts";

const stamp = fc.integer({ min: 0, max: STAMPS - 1 });

test("a stamp is read back, with any noise that leaves black darker than white", () => {
  fc.assert(
    fc.property(stamp, fc.array(fc.nat(127), { minLength: 32, maxLength: 32 }), (number, noise) => {
      const lumas = squares(number).map((white, i) => (white ? 255 - (noise[i] ?? 0) : (noise[i] ?? 0)));
      expect(stampOf(lumas)).toBe(number);
    }),
  );
});

test("a row with one wrong square is none", () => {
  fc.assert(
    fc.property(stamp, fc.nat(31), (number, wrong) => {
      const lumas = squares(number).map((white, i) => (white === (i !== wrong) ? 235 : 16));
      expect(stampOf(lumas)).toBeNull();
    }),
  );
});

test("a picture without a row has no stamp", () => {
  expect(stampOf(Array(32).fill(90))).toBeNull();
  expect(stampOf([])).toBeNull();
});

test("delays are of pictures that were drawn and seen, each once", () => {
  const drawn = [
    [1, 100],
    [2, 140],
    [3, 180],
  ] as const;
  const seen = [
    [9, 150],
    [1, 160],
    [3, 230],
    [3, 250],
  ] as const;
  expect(delays(drawn, seen)).toEqual([60, 50]);
});
