import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { Meter } from "./meter.ts";

test("tells what a frame takes, how much of a core all of them do, how late they go out and how many there are", () => {
  const clock = new ManualClock();
  const meter = new Meter(clock);
  for (const ms of [5, 10, 100]) meter.count(ms, ms + 1);
  clock.advance(milli(500));
  expect(meter.take()).toEqual({ msPerFrame: 10, share: 0.23, delayMs: 11, framesPerSecond: 6 });
  clock.advance(milli(500));
  expect(meter.take()).toBeNull();
});
