import { expect, test } from "vitest";
import { Histogram, RollingWindow, spreadOf } from "./index.ts";

function recorded(histogram: Histogram, ...us: number[]): Histogram {
  for (const time of us) histogram.record(time);
  return histogram;
}

test("a window holds the times of its last steps and forgets those before", () => {
  const all = new Histogram();
  const window = new RollingWindow(2);
  expect(window.push(recorded(all, 10, 10).snapshot())).toMatchObject({ count: 2, p50: 0.01 });
  expect(window.push(recorded(all, 20).snapshot())).toMatchObject({ count: 1, p50: 0.02 });
  expect(window.push(recorded(all, 30).snapshot())).toMatchObject({ count: 2, p50: 0.02, p99: 0.03, mean: 0.025 });
  expect(window.push(recorded(all, 31).snapshot())).toMatchObject({ count: 2, p50: 0.03, p99: 0.031 });
});

test("a window in which nothing happened has no quantiles", () => {
  const window = new RollingWindow(3);
  const all = recorded(new Histogram(), 5).snapshot();
  for (let step = 0; step < 3; step++) window.push(all);
  expect(window.push(all)).toEqual({ count: 0, mean: NaN, p50: NaN, p95: NaN, p99: NaN });
});

test("a histogram that started over, in a worker that took another's place, is taken as it is", () => {
  const window = new RollingWindow(3);
  window.push(recorded(new Histogram(), 5, 5, 5).snapshot());
  expect(window.push(recorded(new Histogram(), 7).snapshot())).toMatchObject({ count: 1, p50: 0.007 });
});

test("a mean is of all times", () => {
  expect(spreadOf(recorded(new Histogram(), 10, 20, 30)).mean).toBeCloseTo(0.02);
  expect(new Histogram().mean).toBeNaN();
});
