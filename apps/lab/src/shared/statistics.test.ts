import fc from "fast-check";
import { expect, test } from "vitest";
import { mean, median, quantile, round } from "./statistics.ts";

test("a quantile is the smallest value that the share of all values does not exceed", () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (values, q) => {
      const found = quantile(values, q);
      expect(values).toContain(found);
      expect(values.filter((value) => value <= found).length).toBeGreaterThanOrEqual(q * values.length);
      if (q > 0) expect(values.filter((value) => value < found).length).toBeLessThan(q * values.length);
    }),
  );
});

test("values that are for ever come last", () => {
  expect(quantile([Number.POSITIVE_INFINITY, 30, 4], 0.5)).toBe(30);
  expect(quantile([Number.POSITIVE_INFINITY, 30, 4], 1)).toBe(Number.POSITIVE_INFINITY);
});

test("nothing has no quantile and no mean", () => {
  expect(quantile([], 0.5)).toBeNaN();
  expect(mean([])).toBeNaN();
  expect(mean([1, 2, 6])).toBe(3);
});

test("the middle of the values", () => {
  expect(median([3, 1, 2])).toBe(2);
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true }), { minLength: 1 }), (values) => {
      expect(values.filter((value) => value <= median(values)).length * 2).toBeGreaterThanOrEqual(values.length);
      expect(values.filter((value) => value >= median(values)).length * 2).toBeGreaterThanOrEqual(values.length);
    }),
  );
});

test("a figure is rounded to its last digit", () => {
  expect([round(1.255, 1), round(19.5, 0)]).toEqual([1.3, 20]);
});
