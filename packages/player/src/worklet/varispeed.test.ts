import { expect, test } from "vitest";
import { Varispeed } from "./varispeed.ts";

const RATE = 48_000;
const sine = (hertz: number) => (sample: number) => Math.sin((2 * Math.PI * hertz * sample) / RATE);

/** What comes out of a sine that is played at this rate, in blocks of 128. */
function played(hertz: number, rate: number, seconds: number) {
  let read = 0;
  const speed = new Varispeed(1, 128, ([into], from, count) => {
    for (let i = 0; i < count; i++) into![from + i] = sine(hertz)(read++);
  });
  speed.rate = rate;
  const out = new Float32Array(128 * Math.floor((seconds * RATE) / 128));
  for (let at = 0; at < out.length; at += 128) speed.render([out.subarray(at, at + 128)]);
  return { out, read };
}

test.each([0.995, 1 - 2e-5, 1, 1.0002, 1.005])("at rate %f, a tone comes out higher by as much, and clean", (rate) => {
  const { out, read } = played(1_000, rate, 2);
  expect(Math.abs(read - out.length * rate)).toBeLessThan(2);
  const expected = sine(1_000 * rate);
  const error = Math.max(
    ...out.subarray(100).map((sample, i) => Math.abs(sample - expected(i + 100 - 4 / rate + 1 / rate))),
  );
  expect(error).toBeLessThan(2e-3);
});

test("it changes its rate without a step", () => {
  let read = 0;
  const speed = new Varispeed(1, 128, ([into], from, count) => {
    for (let i = 0; i < count; i++) into![from + i] = sine(200)(read++);
  });
  const out = new Float32Array(128 * 200);
  for (let block = 0; block < 200; block++) {
    speed.rate = 1 + 0.005 * Math.sin(block);
    speed.render([out.subarray(128 * block, 128 * block + 128)]);
  }
  const steps = out.subarray(10).map((sample, i) => Math.abs(sample - out[i + 9]!));
  expect(Math.max(...steps)).toBeLessThan(1.02 * 2 * Math.PI * (200 / RATE));
});
