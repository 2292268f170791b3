import { expect, test } from "vitest";
import { RateConverter } from "./rate-converter.ts";

const tone = (rate: number, seconds: number) =>
  Float32Array.from({ length: rate * seconds }, (_, i) => Math.sin((2 * Math.PI * 440 * i) / rate));

function inPieces(converter: RateConverter, sound: Float32Array, size: number): number[] {
  const out: number[] = [];
  for (let at = 0; at < sound.length; at += size) out.push(...converter.push(sound.slice(at, at + size)));
  return out;
}

test.each([
  [44_100, 441],
  [32_000, 320],
  [96_000, 1_024],
])("sound of %d Hz in pieces of %d comes out as the same tone at 48 kHz", (rate, size) => {
  const out = inPieces(new RateConverter(rate, 48_000), tone(rate, 1), size);
  expect(Math.abs(out.length - 48_000)).toBeLessThanOrEqual(2);
  const expected = tone(48_000, 1);
  const worst = Math.max(...out.slice(0, 47_000).map((sample, i) => Math.abs(sample - (expected[i] ?? 0))));
  expect(worst).toBeLessThan(0.01);
});

test("pieces make no difference", () => {
  const sound = tone(44_100, 0.5);
  const whole = inPieces(new RateConverter(44_100, 48_000), sound, sound.length);
  const pieces = inPieces(new RateConverter(44_100, 48_000), sound, 137);
  expect(pieces.length).toBe(whole.length);
  expect(Math.max(...pieces.map((sample, i) => Math.abs(sample - (whole[i] ?? 0))))).toBeLessThan(1e-5);
});
