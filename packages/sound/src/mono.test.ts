import { expect, it } from "vitest";
import { Mono } from "./mono.ts";

/** What a browser gives of a track, as far as it is read: the channels' samples, each of one value. */
function piece(sampleRate: number, values: readonly number[]): AudioData {
  const numberOfFrames = sampleRate / 100;
  return {
    ...{ sampleRate, numberOfFrames, numberOfChannels: values.length },
    copyTo: (into: Float32Array, { planeIndex }: AudioDataCopyToOptions) => into.fill(values[planeIndex] ?? 0),
  } as unknown as AudioData;
}

it("is the mean of all channels, and untouched where the rate is the same", () => {
  const made = new Mono(48_000).push(piece(48_000, [0.25, 0.75, 0.5]));
  expect(made).toEqual(new Float32Array(480).fill(0.5));
});

it("has the same rate whatever comes in, also when that changes", () => {
  const mono = new Mono(16_000);
  const count = (sampleRate: number) =>
    Array.from({ length: 100 }, () => mono.push(piece(sampleRate, [0.5])).length).reduce((sum, length) => sum + length);
  for (const sampleRate of [48_000, 44_100, 16_000, 8_000]) {
    const made = count(sampleRate);
    expect(made).toBeGreaterThan(16_000 * 0.99);
    expect(made).toBeLessThanOrEqual(16_000);
  }
});
