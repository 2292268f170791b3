import { expect, test } from "vitest";
import { DeadOutput } from "./dead-output.ts";

const RATE = 48_000;
const PIECE = 480;
const filled = (value: (i: number) => number) => Float32Array.from({ length: PIECE }, (_, i) => value(i));
const VOICE = filled((i) => 0.1 * Math.sin(i / 10));
const SILENCE = filled(() => 0);
/** What is left of noise where it is suppressed by more than any was seen to be. */
const NEARLY_SILENT = filled((i) => 1e-6 * Math.sin(i / 10));

function seconds(output: Float32Array, input: Float32Array, most = 10): number | null {
  const dead = new DeadOutput();
  for (let piece = 1; piece <= (most * RATE) / PIECE; piece++)
    if (dead.examine(input, output, RATE)) return (piece * PIECE) / RATE;
  return null;
}

test.each([
  ["silence", SILENCE],
  ["one value over and over", filled(() => 0.5)],
  ["no numbers", filled(() => Number.NaN)],
])("%s in a voice's place is found out after three seconds", (_, output) => {
  expect(seconds(output, VOICE)).toBeCloseTo(3, 1);
});

test("what is left of noise is sound, and silence that came in is to come out", () => {
  expect(seconds(NEARLY_SILENT, VOICE)).toBeNull();
  expect(seconds(SILENCE, SILENCE)).toBeNull();
});

test("seconds in which nothing comes out are counted in a row", () => {
  const dead = new DeadOutput();
  for (let piece = 0; piece < 2_000; piece++)
    expect(dead.examine(VOICE, piece % 200 === 199 ? VOICE : SILENCE, RATE)).toBe(false);
});
