import { milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { Playhead } from "./playhead.ts";

/** Steered every 30 ms, for so many seconds, towards what runs beside it at this rate. @returns how far behind it is then */
function behindAfter(playhead: Playhead, seconds: number, rate: number, startMs = 0) {
  let now = 0;
  for (; now < 1_000 * seconds; now += 30) playhead.steer(milli(now), startMs + now * rate, false, "smoothest");
  return startMs + now * rate - playhead.at(milli(now));
}

test("with clocks 400 ppm apart it stays within two milliseconds, and says so", () => {
  const playhead = new Playhead(milli(0), 0);
  expect(Math.abs(behindAfter(playhead, 3_600, 1.0004))).toBeLessThan(2);
  expect(playhead.driftPpm).toBeCloseTo(400, -1);
});

test("it makes good what it is behind or ahead by half a percent at most", () => {
  const behind = new Playhead(milli(0), 0);
  behind.steer(milli(0), 1_000, false, "smoothest");
  expect(behind.rate).toBe(1.005);
  expect(behindAfter(new Playhead(milli(0), 0), 400, 1, 1_000)).toBeLessThan(1);
  const ahead = new Playhead(milli(0), 1_000);
  ahead.steer(milli(0), 0, false, "smoothest");
  expect([ahead.rate, ahead.jumps]).toEqual([0.995, 0]);
});

test("too far behind, it jumps; ahead only where nothing is there to play", () => {
  const playhead = new Playhead(milli(0), 0);
  expect(playhead.steer(milli(0), 400, false, "lowest-latency")).toBe(true);
  expect(playhead.at(milli(0))).toBe(400);
  expect(playhead.steer(milli(0), 100, false, "lowest-latency")).toBe(false);
  expect(playhead.steer(milli(0), 100, true, "lowest-latency")).toBe(true);
  expect([playhead.at(milli(0)), playhead.jumps]).toEqual([100, 2]);
});

test("where sound is played, that says where it stands", () => {
  const playhead = new Playhead(milli(0), 0);
  playhead.follow(milli(1_000), 990);
  expect(playhead.at(milli(1_500))).toBe(1_490);
});
