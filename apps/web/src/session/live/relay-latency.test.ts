import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, it, vi } from "vitest";
import { RelayLatency } from "./relay-latency.ts";

let clock: ManualClock;
let latency: RelayLatency;
beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  clock = new ManualClock();
  latency = new RelayLatency(clock);
});

/** Times in seconds from now on at which it asks, in readings of half a second. */
function asksWithin(seconds: number): number[] {
  const asked: number[] = [];
  for (let half = 0; half < 2 * seconds; half++) {
    if (latency.isDue()) asked.push(half / 2);
    clock.advance(milli(500));
  }
  return asked;
}

/** The host's clock is 5 s ahead, and each way takes 10 ms. */
const ANSWER = { asked: 1_000, came: 6_010, left: 6_012, answered: 1_022 };
const picture = (sentAt: number, shownAt: number) => [1_000 * sentAt, 0, 0, 0, shownAt];

it("a host that does not answer is asked ever more rarely", () => {
  expect(asksWithin(1_200)).toEqual([2.5, 7.5, 27.5, 107.5, 407.5, 707.5, 1_007.5]);
});

it("a host that answers is asked again after ten minutes", () => {
  expect(asksWithin(5)).toEqual([2.5]);
  latency.answered(ANSWER);
  expect(asksWithin(605)).toEqual([600]);
});

it("is the mean time from the host's encoder to the screen, by the host's clock", () => {
  const pictures = Float64Array.of(...picture(7_000, 2_150), ...picture(7_100, 2_350));
  expect(latency.of(pictures), "without that clock").toBeNull();
  latency.answered(ANSWER);
  expect(latency.of(pictures)).toBe(200);
  expect(latency.of(new Float64Array())).toBeNull();
});

it("nothing is shown before it was sent: where a relay says so, nothing is known", () => {
  latency.answered(ANSWER);
  expect(latency.of(Float64Array.of(...picture(9_000, 2_150)))).toBeNull();
});

it("of pictures long ago nothing counts", () => {
  latency.answered(ANSWER);
  const early = Array.from({ length: 30 }, () => picture(7_000, 5_000));
  const late = Array.from({ length: 30 }, () => picture(7_000, 2_100));
  expect(latency.of(new Float64Array([...early, ...late].flat()))).toBe(100);
});
