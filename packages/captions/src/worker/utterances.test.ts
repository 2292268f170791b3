import fc from "fast-check";
import { expect, it } from "vitest";
import { SAMPLE_RATE } from "./sample-rate.ts";
import { Utterances } from "./utterances.ts";

/** Speech as loud as that, or silence: seconds of noise that is the same at each run. */
function sound(seconds: number, loudness: number): Float32Array {
  let seed = 1;
  return Float32Array.from({ length: Math.round(seconds * SAMPLE_RATE) }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return loudness * (seed / 1_073_741_824 - 1);
  });
}
const speech = (seconds: number) => sound(seconds, 0.2);
const silence = (seconds: number) => sound(seconds, 0.0005);

/** How long the utterances are, in seconds. */
function cut(pieces: Float32Array[], by = 160): number[] {
  const utterances = new Utterances();
  const ended: Float32Array[] = [];
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += by) ended.push(...utterances.push(piece.subarray(at, at + by)));
  return ended.map(({ length }) => length / SAMPLE_RATE);
}

it("nobody speaks: there is nothing", () => {
  expect(cut([silence(30)])).toEqual([]);
  expect(cut([new Float32Array(30 * SAMPLE_RATE)])).toEqual([]);
});

it("what stands between two pauses is one, with a little of the silence around it", () => {
  const [one, ...more] = cut([silence(2), speech(2), silence(2)]);
  expect(more).toEqual([]);
  expect(one).toBeGreaterThan(2.2);
  expect(one).toBeLessThan(2.7);
});

it("a breath ends a long one, and no short one", () => {
  expect(cut([silence(1), speech(1.5), silence(0.4), speech(1), silence(2)])).toHaveLength(1);
  expect(cut([silence(1), speech(4), silence(0.4), speech(1), silence(2)])).toHaveLength(2);
});

it("who never pauses is cut where they are most quiet, within 7 s, and nothing is lost", () => {
  const pieces = [silence(1), speech(5), sound(0.2, 0.02), speech(9), silence(2)];
  const lengths = cut(pieces);
  expect(lengths[0]).toBeGreaterThan(5);
  expect(lengths[0]).toBeLessThan(5.6);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(7);
  expect(lengths.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(14);
});

it("a click is no speech", () => {
  expect(cut([silence(2), speech(0.04), silence(2), speech(0.1), silence(2)])).toEqual([]);
});

it("noise that stays becomes silence, in which speech is still heard", () => {
  const noise = (seconds: number) => sound(seconds, 0.008);
  const utterances = new Utterances();
  const before = utterances.push(silence(1));
  const begins = utterances.push(noise(30));
  expect(before).toEqual([]);
  expect(begins.length).toBeLessThan(6);
  expect(utterances.push(noise(20))).toEqual([]);
  expect(utterances.push(Float32Array.of(...speech(3), ...noise(2)))).toHaveLength(1);
});

it("comes out the same in whatever pieces it comes in", () => {
  const pieces = [silence(1), speech(5), silence(0.5), speech(3), silence(1)];
  expect(cut(pieces, 441)).toEqual(cut(pieces, 16_000));
});

it("no sound makes it throw, keep more than 7 s or give more than it was given", () => {
  const anything = fc.float32Array({ maxLength: 4_000 });
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 20 }), (pieces) => {
      const given = pieces.reduce((sum, { length }) => sum + length, 0);
      const lengths = cut(pieces).map((seconds) => seconds * SAMPLE_RATE);
      expect(lengths.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(given);
    }),
    { numRuns: 50 },
  );
});
