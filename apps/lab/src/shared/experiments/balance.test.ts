import fc from "fast-check";
import { expect, test } from "vitest";
import { balanced, mean, quantile } from "./balance.ts";

test("an order is followed by its mirror image", () => {
  expect(balanced(["a", "b", "c"], 2)).toEqual([
    ["a", "b", "c"],
    ["c", "b", "a"],
  ]);
});

test("six rounds are every order of three things once", () => {
  const orders = balanced(["a", "b", "c"], 6).map((order) => order.join(""));
  expect(orders.toSorted()).toEqual(["abc", "acb", "bac", "bca", "cab", "cba"]);
});

test("every round has each thing once", () => {
  for (const order of balanced([1, 2, 3, 4], 11)) expect(order.toSorted()).toEqual([1, 2, 3, 4]);
});

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
