import { expect, it, vi } from "vitest";
import { every, ManualClock, milli } from "./index.ts";

it("acts once each gap until it is cancelled, which it may be by what it does", () => {
  const clock = new ManualClock();
  const act = vi.fn();
  const cancel = every(clock, milli(100), act);
  clock.advance(milli(99));
  expect(act).not.toHaveBeenCalled();
  clock.advance(milli(201));
  expect(act).toHaveBeenCalledTimes(3);
  act.mockImplementation(cancel);
  clock.advance(milli(1_000));
  expect(act).toHaveBeenCalledTimes(4);
});
