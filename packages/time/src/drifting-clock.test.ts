import { expect, test } from "vitest";
import { DriftingClock } from "./drifting-clock.ts";
import { milli } from "./units.ts";

const OURS_LESS_THEIRS = 70_000;

test("the soonest reading of the last seconds counts, whichever way the clocks drift", () => {
  for (const rate of [0.9998, 1.0002]) {
    const clock = new DriftingClock();
    for (let at = 0; at < 600_000; at += 27) clock.add(at * rate - OURS_LESS_THEIRS, milli(at + (at % 5) * 9));
    const error = clock.toTheirs(milli(600_000)) - (600_000 * rate - OURS_LESS_THEIRS);
    expect(Math.abs(error), `at ${rate}`).toBeLessThan(1);
  }
});

test("a clock that stood still is later from then on: at once where that was asked for, else within two seconds", () => {
  const [atOnce, later] = [new DriftingClock(250), new DriftingClock()];
  const both = (theirs: number, now: number) => {
    for (const one of [atOnce, later]) one.add(theirs, milli(now));
  };
  both(1_000, 1_000);
  both(1_027, 9_027);
  expect([atOnce.toOurs(2_000), later.toOurs(2_000)]).toEqual([10_000, 2_000]);
  for (let at = 27; at < 2_100; at += 27) both(1_027 + at, 9_027 + at);
  expect(later.toOurs(4_000)).toBe(12_000);
});

test("readings that a busy thread sees late change nothing", () => {
  const clock = new DriftingClock();
  for (let at = 0; at < 5_000; at += 10)
    clock.add(at, milli(at % 1_000 < 400 ? Math.ceil(at / 1_000) * 1_000 + 400 : at));
  expect(clock.toOurs(5_000)).toBe(5_000);
});
