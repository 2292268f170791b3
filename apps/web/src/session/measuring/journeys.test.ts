import { expect, test } from "vitest";
import { Journeys } from "./journeys.ts";

const CLOCK = { toHere: 1_000, within: 1 };

/** One frame: captured at 0, came to the sealer at 10, left it at 11, came here at 31, was opened at 33, shown at 50. */
function frame(journeys: Journeys, rtp: number, { begun = null as number | null, captured = Number.NaN } = {}): void {
  journeys.opened(Float64Array.of(rtp, 1_030, Number.NaN, 1_031, 1_033 + rtp / 1_000));
  journeys.told([[rtp, begun, 10, 11]]);
  journeys.shown({ rtp, captured, presented: 1_050, decoding: 2 });
}

test("a frame's stages are joined by its RTP timestamp, over two clocks", () => {
  const journeys = new Journeys();
  frame(journeys, 1, { begun: 4 });
  const spreads = journeys.settle(5_000, CLOCK);
  const p50 = (name: Parameters<typeof spreads.get>[0]) => Math.round(spreads.get(name)?.p50 ?? NaN);
  expect([p50("before"), p50("seal"), p50("network"), p50("open"), p50("held")]).toEqual([6, 1, 20, 2, 3]);
  expect([p50("decode"), p50("after"), p50("end-to-end")]).toEqual([2, 17, 46]);
});

test("where the sender does not say when a picture began, the browser's own time of capture counts", () => {
  const journeys = new Journeys();
  frame(journeys, 1, { captured: 1_001 });
  const spreads = journeys.settle(5_000, CLOCK);
  expect(spreads.get("before")?.p50).toBeCloseTo(9, 0);
  expect(Math.abs((spreads.get("end-to-end")?.p50 ?? 0) - 49)).toBeLessThan(1.6);
});

test("nothing is made up: without a clock, a beginning or a video there are no such times", () => {
  const [noClock, noBeginning, noVideo] = [new Journeys(), new Journeys(), new Journeys()];
  frame(noClock, 1, { begun: 4 });
  const withoutClock = noClock.settle(5_000, null);
  expect(withoutClock.get("network")?.count).toBe(0);
  expect(withoutClock.get("end-to-end")?.count).toBe(0);
  expect([withoutClock.get("seal")?.count, withoutClock.get("open")?.count]).toEqual([1, 1]);
  frame(noBeginning, 1);
  const withoutBeginning = noBeginning.settle(5_000, CLOCK);
  expect([withoutBeginning.get("before")?.count, withoutBeginning.get("end-to-end")?.count]).toEqual([0, 0]);
  expect(withoutBeginning.get("network")?.count).toBe(1);
  noVideo.opened(Float64Array.of(1, Number.NaN, Number.NaN, 31, 33));
  const withoutVideo = noVideo.settle(5_000, CLOCK);
  expect([withoutVideo.get("open")?.count, withoutVideo.get("held")?.count, withoutVideo.get("after")?.count]).toEqual([
    1, 0, 0,
  ]);
});

test("a frame waits for what others tell of it, and is taken once, however often it is told", () => {
  const journeys = new Journeys();
  frame(journeys, 1, { begun: 4 });
  expect(journeys.settle(3_000, CLOCK).get("open")?.count).toBe(0);
  frame(journeys, 1, { begun: 4 });
  expect(journeys.settle(5_000, CLOCK).get("open")?.count).toBe(1);
  frame(journeys, 1, { begun: 4 });
  journeys.settle(5_000, CLOCK);
  expect(journeys.settled).toBe(1);
});

test("what a player of ours shows is known from stage to stage, however often it is told", () => {
  const journeys = new Journeys();
  journeys.opened(Float64Array.of(7, 1_030, Number.NaN, 1_031, 1_033));
  journeys.told([[7, 4, 10, 11]]);
  // Given to the decoder after 5 ms, decoded in 3, shown 9 later, which takes 1.
  const rows = Float64Array.of(7, 1_038, 1_041, 1_050, 1_051);
  for (let time = 0; time < 3; time++) journeys.played(rows);
  const spreads = journeys.settle(5_000, CLOCK);
  const p50 = (name: Parameters<typeof spreads.get>[0]) => Math.round(spreads.get(name)?.p50 ?? NaN);
  expect([p50("buffered"), p50("decode"), p50("drawn")]).toEqual([14, 3, 1]);
  expect(Math.abs(p50("end-to-end") - 47)).toBeLessThan(1.6);
  journeys.played(rows);
  expect(spreads.get("decode")?.count).toBe(1);
  expect(journeys.settle(9_000, CLOCK).get("decode")?.count, "the same picture once more").toBe(0);
});

test("of what our player holds back for seconds, a frame waits until it was shown", () => {
  const journeys = new Journeys();
  journeys.played(Float64Array.of(1, 1, 1, 1, 1_000));
  journeys.opened(Float64Array.of(7, 1_030, Number.NaN, 1_031, 1_033));
  expect(journeys.settle(4_900, CLOCK).get("open")?.count).toBe(0);
  journeys.played(Float64Array.of(7, 4_940, 4_943, 4_950, 4_951));
  journeys.told([[7, 4, 10, 11]]);
  expect(journeys.settle(7_400, CLOCK).get("end-to-end")?.count).toBe(0);
  expect(journeys.settle(7_500, CLOCK).get("end-to-end")?.count).toBe(1);
});

test("what is never completed is forgotten", () => {
  const journeys = new Journeys();
  for (let rtp = 1; rtp <= 600; rtp++) frame(journeys, rtp, { begun: 4 });
  journeys.settle(9_000, CLOCK);
  expect(journeys.settled).toBe(512);
});
