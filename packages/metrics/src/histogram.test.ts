import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Histogram } from "./index.ts";

const LONGEST = 2 ** 26 - 1;
const times = fc.array(fc.oneof(fc.nat(100), fc.nat(LONGEST)), { minLength: 1, maxLength: 200 });
const numRuns = Number(process.env.FUZZ_RUNS ?? 300);

function of(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

describe("Histogram", () => {
  test("a quantile is within 3.2 % of the sorted array's", () => {
    fc.assert(
      fc.property(times, fc.double({ min: 0, max: 1, noNaN: true }), (values, q) => {
        const sorted = values.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? 0;
        expect(Math.abs(of(values).quantile(q) - exact)).toBeLessThanOrEqual(0.032 * exact);
      }),
      { numRuns },
    );
  });

  test("whole microseconds up to 31 are exact", () => {
    for (let us = 0; us < 32; us++) expect(of([us]).quantile(1)).toBe(us);
    expect(of([32]).quantile(1)).toBe(32.5);
  });

  test("buckets neither overlap nor leave gaps: a longer time never reads as shorter", () => {
    let last = -1;
    for (let us = 0; us < LONGEST; us = Math.ceil(us * 1.003) + 1) {
      const read = of([us]).quantile(0.5);
      expect(read).toBeGreaterThanOrEqual(last);
      last = read;
    }
  });

  test("merging snapshots equals recording everything in one", () => {
    fc.assert(
      fc.property(times, times, (a, b) => {
        const merged = of(a);
        merged.merge(of(b).snapshot());
        expect(merged.count).toBe(a.length + b.length);
        expect(merged.snapshot()).toEqual(of([...a, ...b]).snapshot());
      }),
      { numRuns },
    );
  });

  test("a snapshot is a copy", () => {
    const histogram = of([5]);
    const before = histogram.snapshot();
    histogram.record(5);
    expect(before).toEqual(of([5]).snapshot());
  });

  test("an empty one has no quantile", () => {
    const histogram = of([7]);
    histogram.reset();
    expect(histogram.count).toBe(0);
    expect(histogram.quantile(0.5)).toBeNaN();
  });

  test("times beyond its range count at the ends", () => {
    expect(of([-3]).quantile(1)).toBe(0);
    expect(of([Number.POSITIVE_INFINITY]).quantile(1)).toBe(of([LONGEST]).quantile(1));
    expect(of([4.6]).quantile(1)).toBe(5);
  });

  test("what cannot be right is refused", () => {
    expect(() => of([Number.NaN])).toThrow(RangeError);
    expect(() => of([1]).quantile(1.01)).toThrow(RangeError);
    expect(() => of([1]).quantile(Number.NaN)).toThrow(RangeError);
    expect(() => of([1]).merge(new Float64Array(3))).toThrow(RangeError);
  });
});
