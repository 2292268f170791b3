import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { Noise, type Suppressor } from "./noise.ts";

const PIECE_MS = 10;

/** A tone that all channels have. */
function piece(number: number, sampleRate: number, numberOfChannels: number): AudioData {
  const numberOfFrames = (sampleRate * PIECE_MS) / 1_000;
  const one = (i: number) => 0.2 * Math.sin((2 * Math.PI * 440 * (number * numberOfFrames + i)) / sampleRate);
  const data = Float32Array.from({ length: numberOfFrames * numberOfChannels }, (_, i) => one(i % numberOfFrames));
  return new AudioData({
    format: "f32-planar",
    sampleRate,
    numberOfFrames,
    numberOfChannels,
    timestamp: number * PIECE_MS * 1_000,
    data,
  });
}

const halving: Suppressor = {
  delayMs: 32,
  process: (block, into) => into.set(block.map((sample) => sample / 2)),
};
const dead: Suppressor = { delayMs: 0, process: () => undefined };

/** Sound of this number of pieces, of which the first few wait when it begins and each later one comes 10 ms after the one before. */
function treating(suppressor: Suppressor, { sampleRate = 48_000, channels = 1, pieces = 50, waiting = 0 } = {}) {
  const clock = new ManualClock();
  let number = 0;
  const sound = new ReadableStream<AudioData>(
    {
      pull(controller) {
        if (number >= waiting) clock.advance(milli(PIECE_MS));
        if (number >= pieces) controller.close();
        else controller.enqueue(piece(number++, sampleRate, channels));
      },
    },
    { highWaterMark: 0 },
  );
  const out: { timestamp: number; samples: Float32Array }[] = [];
  const treated = new WritableStream<AudioData>({
    write(data) {
      const samples = new Float32Array(data.numberOfFrames);
      data.copyTo(samples, { planeIndex: 0, format: "f32-planar" });
      out.push({ timestamp: data.timestamp, samples });
      expect([data.sampleRate, data.numberOfChannels]).toEqual([48_000, 1]);
      data.close();
    },
  });
  const noise = new Noise(suppressor, clock);
  return { noise, out, ended: noise.treat(sound, treated, () => undefined) };
}

const peak = (samples: Float32Array) => Math.max(...samples.map(Math.abs));

test.each([
  [48_000, 1],
  [44_100, 2],
])("sound of %d Hz in %d channels comes out treated, at 48 kHz, with what that took", async (sampleRate, channels) => {
  const { noise, out, ended } = treating(halving, { sampleRate, channels });
  expect(await ended).toBeNull();
  const count = out.reduce((sum, { samples }) => sum + samples.length, 0);
  expect(count).toBeGreaterThan(48 * PIECE_MS * 45);
  expect(count).toBeLessThanOrEqual(48 * PIECE_MS * 50);
  expect(peak(out[10]!.samples)).toBeCloseTo(0.1, 2);
  const { cost, keepsUp } = noise.look();
  expect([cost?.delayMs, keepsUp]).toEqual([32, true]);
});

test("a suppressor that gives nothing but silence is found out", async () => {
  expect(await treating(dead, { pieces: 400 }).ended).toBe("silent");
});

test("what waited while the suppressor was loading is not heard late", async () => {
  const { out, ended } = treating(halving, { waiting: 60, pieces: 62 });
  expect(await ended).toBeNull();
  expect(out.map(({ timestamp }) => timestamp)).toEqual([60, 61].map((number) => number * PIECE_MS * 1_000));
});
