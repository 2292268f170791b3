import fc from "fast-check";
import { expect, test } from "vitest";
import { search } from "./search.ts";

function find(limit: number, first: number, precision: number, answer = (count: number) => count <= limit): number {
  const steps = search(first, precision);
  let step = steps.next();
  while (!step.done) step = steps.next(answer(step.value));
  return step.value;
}

test("finds the limit, from below and from above", () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.integer({ min: 1, max: 600 }), (limit, first) => {
      expect(find(limit, first, 0)).toBe(limit);
    }),
  );
});

test("stops within the precision", () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 5000 }), (limit) => {
      const found = find(limit, 16, 0.05);
      expect(found).toBeLessThanOrEqual(limit);
      expect(found).toBeGreaterThanOrEqual(limit / 1.05 - 1);
    }),
  );
});

test("one busy moment does not end it", () => {
  let busy = true;
  const answer = (count: number) => {
    if (count !== 64 || !busy) return count <= 100;
    busy = false;
    return false;
  };
  expect(find(100, 16, 0, answer)).toBe(100);
});

test("a busy spell at a bound does not end it either", () => {
  let asked = 0;
  const answer = (count: number) => count <= 200 && !(count === 128 && ++asked <= 2);
  expect(find(200, 16, 0, answer)).toBe(200);
});
