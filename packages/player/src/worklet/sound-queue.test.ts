import fc from "fast-check";
import { expect, test } from "vitest";
import { SoundQueue } from "./sound-queue.ts";

/** A sample a millisecond keeps the numbers plain. */
const RATE = 1_000;
const FADED = 100;

/** A piece whose samples say when they were captured. */
const piece = (atMs: number, length: number) => ({
  atMs,
  channels: [Float32Array.from({ length }, (_, i) => 10_000 + atMs + i)],
});

function read(queue: SoundQueue, count: number): Float32Array {
  const into = new Float32Array(count);
  queue.read([into], 0, count);
  return into;
}

test("pieces follow one another without a gap, and its time is theirs", () => {
  const queue = new SoundQueue(RATE);
  for (const at of [0, 200, 400]) queue.push(piece(at, 200));
  expect([...read(queue, 500).subarray(FADED)]).toEqual(Array.from({ length: 400 }, (_, i) => 10_000 + FADED + i));
  expect([queue.atMs, queue.isStarved, queue.underruns]).toEqual([500, false, 0]);
});

test("where nothing is left, silence, one underrun, and time goes on; what comes then is played from its middle", () => {
  const queue = new SoundQueue(RATE);
  queue.push(piece(0, 200));
  const silence = read(queue, 500).subarray(300 + 200);
  expect(silence.every((sample) => Math.abs(sample) < 1)).toBe(true);
  expect([queue.atMs, queue.isStarved, queue.underruns]).toEqual([500, true, 1]);
  queue.push(piece(200, 200));
  queue.push(piece(400, 400));
  expect(read(queue, 200).at(-1)).toBe(10_000 + 699);
  expect([queue.atMs, queue.isStarved, queue.underruns]).toEqual([700, false, 1]);
});

test("a lost piece is silence of its length, which is no underrun", () => {
  const queue = new SoundQueue(RATE);
  queue.push(piece(0, 200));
  queue.push(piece(600, 200));
  const sound = read(queue, 800);
  expect(Math.abs(sound[590]!)).toBeLessThan(1);
  expect(sound.at(-1)).toBe(10_000 + 799);
  expect(queue.underruns).toBe(0);
});

test("times that are a little off make no gap and do not add up", () => {
  const queue = new SoundQueue(RATE);
  for (let i = 0; i < 10; i++) queue.push(piece(200 * i + (i % 2) * 9, 200));
  const sound = read(queue, 2_000).subarray(FADED);
  expect(sound.every((sample) => sample > 9_999)).toBe(true);
});

test("on a jump ahead it leaves out what is over; on one back it waits", () => {
  const queue = new SoundQueue(RATE);
  for (const at of [0, 200, 400, 600]) queue.push(piece(at, 200));
  queue.seek(500);
  expect(read(queue, 200).at(-1)).toBe(10_000 + 699);
  queue.seek(550);
  expect(Math.abs(read(queue, 40).at(-1)!)).toBeLessThan(10_000);
  expect(queue.atMs).toBe(590);
});

test("what was there before it was cleared is not heard, nor in the way of what comes", () => {
  const queue = new SoundQueue(RATE);
  for (const at of [0, 200, 90_000]) queue.push(piece(at, 200));
  read(queue, 150);
  queue.clear();
  expect(read(queue, 100).every((sample) => Math.abs(sample) < 10_000)).toBe(true);
  queue.seek(5_000);
  queue.push(piece(5_000, 400));
  expect(read(queue, 200).at(-1)).toBe(10_000 + 5_199);
});

test("whatever comes, time runs with what is read, and no more than a few seconds are held", () => {
  const act = fc.oneof(
    fc.record({ push: fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 400 })) }),
    fc.record({ read: fc.integer({ min: 1, max: 500 }) }),
    fc.record({ seek: fc.integer({ min: 0, max: 20_000 }) }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 100 }), (acts) => {
      const queue = new SoundQueue(RATE);
      for (const each of acts) {
        if ("push" in each) queue.push(piece(...each.push));
        else if ("seek" in each) queue.seek(each.seek);
        else {
          const before = queue.atMs;
          const sound = read(queue, each.read);
          expect(sound.every(Number.isFinite)).toBe(true);
          // A piece's own time may be 15 ms off, at each of its ends.
          expect(Math.abs(queue.atMs - before - each.read)).toBeLessThanOrEqual(15 * (1 + each.read));
        }
      }
    }),
  );
});
