import fc from "fast-check";
import { expect, test } from "vitest";
import { gridOf } from "./grid.ts";

const desktop = { width: 1256, height: 696 };
const phone = { width: 366, height: 640 };

test.each([
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 2],
  [5, 3],
  [9, 3],
])("%i tiles stand in %i columns on a desktop", (count, columns) => {
  expect(gridOf(count, desktop, 8).columns).toBe(columns);
});

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 1],
  [9, 2],
])("%i tiles stand in %i columns on an upright phone", (count, columns) => {
  expect(gridOf(count, phone, 8).columns).toBe(columns);
});

test("tiles and gaps always fit", () => {
  const length = fc.integer({ min: 200, max: 4000 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), length, length, (count, width, height) => {
      const grid = gridOf(count, { width, height }, 8);
      const rows = Math.ceil(count / grid.columns);
      expect(grid.width).toBeGreaterThan(0);
      expect(grid.columns * grid.width + (grid.columns - 1) * 8).toBeLessThanOrEqual(width);
      expect((rows * grid.width * 9) / 16 + (rows - 1) * 8).toBeLessThanOrEqual(height);
    }),
  );
});

test("no room gives no width", () => {
  expect(gridOf(3, { width: 0, height: 0 }, 8).width).toBe(0);
});
