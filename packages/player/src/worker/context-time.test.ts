import { milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { ContextTime } from "./context-time.ts";

test("the fastest report of the last seconds counts, and drift is followed", () => {
  const time = new ContextTime();
  for (let at = 0; at < 600_000; at += 27) time.add(at * 1.0002 - 70_000, milli(at + (at % 5) * 9));
  expect(time.toContext(milli(600_000))).toBeGreaterThan(600_000 * 1.0002 - 70_000 - 3);
  expect(time.toContext(milli(600_000))).toBeLessThan(600_000 * 1.0002 - 70_000 + 3);
});

test("a context that stood still is later from then on", () => {
  const time = new ContextTime();
  time.add(1_000, milli(1_000));
  time.add(1_027, milli(9_027));
  expect(time.toClock(2_000)).toBe(10_000);
});
