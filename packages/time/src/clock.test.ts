import { expect, test } from "vitest";
import { ManualClock, milli, systemClock } from "./index.ts";

test("a manual clock stands still until it is moved, and stops where it was told to", () => {
  const clock = new ManualClock();
  let ran = false;
  clock.after(milli(100), () => {
    ran = true;
  });
  clock.advance(milli(99));
  expect([ran, clock.now()]).toEqual([false, 99]);
  clock.advance(milli(1));
  expect([ran, clock.now()]).toEqual([true, 100]);
});

test("timers run in order of time, then of creation, each at its own time", () => {
  const clock = new ManualClock();
  const seen: [string, number][] = [];
  const note = (name: string) => () => void seen.push([name, clock.now()]);
  clock.after(milli(20), note("late"));
  clock.after(milli(10), note("first"));
  clock.after(milli(10), note("second"));
  clock.advance(milli(50));
  expect(seen).toEqual([
    ["first", 10],
    ["second", 10],
    ["late", 20],
  ]);
});

test("a timer set by a timer runs in the same advance if it falls due", () => {
  const clock = new ManualClock();
  const seen: number[] = [];
  const tick = () => {
    seen.push(clock.now());
    clock.after(milli(10), tick);
  };
  clock.after(milli(10), tick);
  clock.advance(milli(35));
  expect(seen).toEqual([10, 20, 30]);
});

test("a cancelled timer never runs, even when cancelled by one due at the same time", () => {
  const clock = new ManualClock();
  let ran = 0;
  clock.after(milli(10), () => cancel());
  const cancel = clock.after(milli(10), () => ran++);
  clock.advance(milli(10));
  cancel();
  expect(ran).toBe(0);
});

test("the system clock runs a timer no earlier than asked, and cancels", async () => {
  const start = systemClock.now();
  const cancelled = systemClock.after(milli(1), () => expect.unreachable());
  cancelled();
  await new Promise<void>((done) => void systemClock.after(milli(5), done));
  expect(systemClock.now() - start).toBeGreaterThanOrEqual(4);
});
