import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { centred, fitted, gridOf, initialsOf } from "./grid.ts";

const HD = { width: 1280, height: 720 };

describe("gridOf", () => {
  const rows = (count: number) => {
    const places = gridOf(count, HD);
    const tops = [...new Set(places.map(({ y }) => y))];
    return tops.map((top) => places.filter(({ y }) => y === top).length);
  };

  test.each([
    [1, [1]],
    [2, [2]],
    [3, [2, 1]],
    [4, [2, 2]],
    [5, [3, 2]],
    [6, [3, 3]],
    [7, [3, 3, 1]],
    [12, [4, 4, 4]],
  ])("has %i people in rows of %j", (count, expected) => {
    expect(rows(count)).toEqual(expected);
  });

  test("is empty for nobody", () => {
    expect(gridOf(0, HD)).toEqual([]);
  });

  test("has as many tiles of one size as people, inside the picture, none over another, each row in the middle", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (count) => {
        const places = gridOf(count, HD);
        expect(places.length).toBe(count);
        expect(new Set(places.map(({ width, height }) => `${width}x${height}`)).size).toBe(1);
        for (const [n, a] of places.entries()) {
          expect(Math.min(a.x, a.y, HD.width - a.x - a.width, HD.height - a.y - a.height)).toBeGreaterThanOrEqual(0);
          for (const b of places.slice(n + 1))
            expect(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y).toBe(true);
          const row = places.filter(({ y }) => y === a.y);
          const right = row.at(-1)!.x + a.width;
          expect(Math.abs(row[0]!.x - (HD.width - right))).toBeLessThanOrEqual(2);
        }
      }),
    );
  });
});

describe("fitted", () => {
  test("keeps the shape, cuts nothing, and enlarges nothing by itself", () => {
    expect(fitted({ width: 1920, height: 1080 }, HD)).toEqual(HD);
    expect(fitted({ width: 720, height: 1280 }, HD)).toEqual({ width: 405, height: 720 });
    expect(fitted({ width: 64, height: 36 }, HD)).toEqual({ width: 64, height: 36 });
    expect(fitted({ width: 10_000, height: 1 }, HD)).toEqual({ width: 1280, height: 1 });
  });

  test("centred enlarges, and leaves the same at both sides", () => {
    expect(centred({ width: 36, height: 64 }, { x: 100, y: 50, width: 320, height: 180 })).toEqual({
      x: 209,
      y: 50,
      width: 101,
      height: 180,
    });
  });
});

describe("initialsOf", () => {
  test.each([
    ["Ann", "A"],
    ["ann  lee", "AL"],
    ["Maria del Carmen", "MC"],
    ["👩‍👩‍👧 Family", "👩‍👩‍👧F"],
    ["éva", "É"],
    ["", ""],
    ["  ", ""],
  ])("%j has %j", (name, initials) => {
    expect(initialsOf(name)).toBe(initials);
  });
});
