import { expect, it } from "vitest";
import { Resampler } from "./resampler.ts";

/** A second of a tone. */
function tone(hertz: number, rate: number): Float32Array {
  return Float32Array.from({ length: rate }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / rate));
}

/** A second of sound, in pieces as they come. */
function resampled(sound: Float32Array, to: number, piece: number): Float32Array {
  const resampler = new Resampler(sound.length, to);
  const made: number[] = [];
  for (let at = 0; at < sound.length; at += piece) made.push(...resampler.push(sound.subarray(at, at + piece)));
  return Float32Array.from(made);
}

const middle = (sound: Float32Array) => sound.subarray(sound.length / 10, (sound.length * 9) / 10);
const loudness = (sound: Float32Array) =>
  Math.sqrt(middle(sound).reduce((sum, x) => sum + x * x, 0) / middle(sound).length);

it.each([
  [8_000, 16_000],
  [16_000, 16_000],
  [22_050, 16_000],
  [44_100, 16_000],
  [48_000, 16_000],
  [96_000, 16_000],
  [16_000, 48_000],
  [32_000, 48_000],
  [44_100, 48_000],
  [96_000, 48_000],
])("sound of %i Hz becomes the same tone of %i Hz, as loud", (rate, to) => {
  const made = resampled(tone(440, rate), to, rate / 100);
  expect(made.length).toBeGreaterThan(to * 0.99);
  expect(made.length).toBeLessThanOrEqual(to);
  expect(loudness(made)).toBeCloseTo(Math.SQRT1_2, 2);
  const expected = middle(tone(440, to).subarray(0, made.length));
  const worst = Math.max(...middle(made).map((sample, i) => Math.abs(sample - (expected[i] ?? 0))));
  expect(worst).toBeLessThan(0.01);
});

it("a tone keeps its height", () => {
  const made = middle(resampled(tone(1_000, 48_000), 16_000, 480));
  const crossings = made.filter((sample, i) => sample >= 0 && (made[i - 1] ?? 1) < 0).length;
  expect(crossings / (made.length / 16_000)).toBeCloseTo(1_000, -1);
});

it("what the lower rate cannot hold is taken out, and does not come back as another tone", () => {
  expect(loudness(resampled(tone(11_000, 48_000), 16_000, 480))).toBeLessThan(0.005);
});

it("comes out the same in whatever pieces it comes in", () => {
  const sound = tone(700, 44_100);
  for (const [to, pieces] of [
    [16_000, [1, 7, 441, 1_024]],
    [48_000, [137]],
  ] as const) {
    const whole = resampled(sound, to, sound.length);
    for (const piece of pieces) expect(resampled(sound, to, piece)).toEqual(whole);
  }
});
