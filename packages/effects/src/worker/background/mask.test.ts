import { expect, test } from "vitest";
import { writeMask } from "./mask.ts";

function opacities(sureness: ArrayLike<number>, places: number): number[] {
  const pixels = new Uint8ClampedArray(4 * places).fill(255);
  writeMask(sureness, pixels);
  return [...pixels].filter((_, at) => at % 4 === 3);
}

test("what is surely the person shows, what is surely not does not, and between them it is mixed", () => {
  const [off, low, middle, high, on] = opacities([0, 0.4, 0.65, 0.9, 1], 5);
  expect([off, low, high, on]).toEqual([0, 0, 255, 255]);
  expect(middle).toBeGreaterThan(50);
  expect(middle).toBeLessThan(200);
});

test("a model that gives nonsense, or too little, shows nothing of the room", () => {
  expect(opacities([Number.NaN, Number.NEGATIVE_INFINITY, -1], 5)).toEqual([0, 0, 0, 0, 0]);
});
