import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { atMostEvery } from "./at-most-every.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("requests of many are one, and the next is not before the gap is over", () => {
  const act = vi.fn();
  const ask = atMostEvery(300, act);
  for (let receivers = 0; receivers < 5; receivers++) ask();
  expect(act, "the first at once").toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(299);
  ask();
  expect(act).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(act, "all others as one").toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(3_000);
  expect(act).toHaveBeenCalledTimes(2);
});
