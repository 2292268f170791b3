import { expect, it } from "vitest";
import { edgesOf, outlines } from "./outlines.page.ts";
import type { Luma } from "./ssim.page.ts";

const SIDE = 32;

/** A square of one brightness on another. */
function square(from: number, inside: number, outside: number): Luma {
  const isIn = (place: number) => place >= from && place < from + 12;
  const value = (at: number) => (isIn(at % SIDE) && isIn(Math.floor(at / SIDE)) ? inside : outside);
  return { width: SIDE, height: SIDE, values: Float32Array.from({ length: SIDE * SIDE }, (_, at) => value(at)) };
}

it("an edge is where the brightness changes, and as strong as the change", () => {
  const edges = edgesOf(square(10, 150, 100));
  const at = (x: number, y: number) => edges[y * SIDE + x];
  expect(at(10, 15)).toBe(50);
  expect(at(15, 15)).toBe(0);
  expect(at(0, 0)).toBe(0);
});

it("outlines are alike where edges lie in the same places, however bright the picture", () => {
  const edges = edgesOf(square(10, 200, 50));
  expect(outlines(edges, edges)).toBeCloseTo(1, 6);
  expect(outlines(edges, edgesOf(square(10, 90, 110)))).toBeCloseTo(1, 6);
  expect(outlines(edges, edgesOf(square(3, 200, 50)))).toBeLessThan(0.2);
});

it("a flat picture's outlines are like no others", () => {
  expect(outlines(edgesOf(square(10, 200, 50)), edgesOf(square(10, 128, 128)))).toBe(0);
});
