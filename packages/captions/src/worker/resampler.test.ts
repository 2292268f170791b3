import { expect, it } from "vitest";
import { Resampler, SAMPLE_RATE } from "./resampler.ts";

/** A second of a tone. */
function tone(hertz: number, rate: number): Float32Array {
  return Float32Array.from({ length: rate }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / rate));
}

/** In pieces as they come, and what is left of it without its first and last tenth. */
function resampled(sound: Float32Array, rate: number, piece: number): Float32Array {
  const resampler = new Resampler(rate);
  const made: number[] = [];
  for (let at = 0; at < sound.length; at += piece) made.push(...resampler.push(sound.subarray(at, at + piece)));
  return Float32Array.from(made);
}

const middle = (sound: Float32Array) => sound.subarray(sound.length / 10, (sound.length * 9) / 10);
const loudness = (sound: Float32Array) =>
  Math.sqrt(middle(sound).reduce((sum, x) => sum + x * x, 0) / middle(sound).length);

it.each([8_000, 16_000, 22_050, 44_100, 48_000, 96_000])(
  "sound of %i Hz becomes as many samples as 16 kHz has, as loud",
  (rate) => {
    const made = resampled(tone(440, rate), rate, rate / 100);
    expect(made.length).toBeGreaterThan(SAMPLE_RATE * 0.99);
    expect(made.length).toBeLessThanOrEqual(SAMPLE_RATE);
    expect(loudness(made)).toBeCloseTo(Math.SQRT1_2, 2);
  },
);

it("a tone keeps its height", () => {
  const made = middle(resampled(tone(1_000, 48_000), 48_000, 480));
  const crossings = made.filter((sample, i) => sample >= 0 && (made[i - 1] ?? 1) < 0).length;
  expect(crossings / (made.length / SAMPLE_RATE)).toBeCloseTo(1_000, -1);
});

it("what 16 kHz cannot hold is taken out, and does not come back as another tone", () => {
  expect(loudness(resampled(tone(11_000, 48_000), 48_000, 480))).toBeLessThan(0.005);
});

it("comes out the same in whatever pieces it comes in", () => {
  const sound = tone(700, 44_100);
  const whole = resampled(sound, 44_100, sound.length);
  for (const piece of [1, 7, 441, 1_024]) expect(resampled(sound, 44_100, piece)).toEqual(whole);
});
