import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { Timeline } from "./timeline.ts";

test("stands still until it runs and while it is held, and goes on from there", () => {
  const clock = new ManualClock();
  const timeline = new Timeline(clock);
  clock.advance(milli(500));
  expect(timeline.seconds).toBe(0);
  timeline.run();
  clock.advance(milli(1_000));
  timeline.run();
  clock.advance(milli(500));
  expect(timeline.seconds).toBe(1.5);
  timeline.hold();
  clock.advance(milli(60_000));
  expect(timeline.seconds).toBe(1.5);
  timeline.hold();
  timeline.run();
  clock.advance(milli(250));
  expect(timeline.seconds).toBe(1.75);
});

test("takes time out that has passed", () => {
  const clock = new ManualClock();
  const timeline = new Timeline(clock);
  timeline.run();
  clock.advance(milli(10_000));
  timeline.leaveOut(9);
  expect(timeline.seconds).toBe(1);
});
