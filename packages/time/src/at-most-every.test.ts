import { expect, it, vi } from "vitest";
import { atMostEvery, ManualClock, milli } from "./index.ts";

it("requests of many are one, and the next is not before the gap is over", () => {
  const clock = new ManualClock();
  const act = vi.fn();
  const ask = atMostEvery(clock, milli(300), act);
  for (let receivers = 0; receivers < 5; receivers++) ask();
  expect(act, "the first at once").toHaveBeenCalledTimes(1);
  clock.advance(milli(299));
  ask();
  expect(act).toHaveBeenCalledTimes(1);
  clock.advance(milli(1));
  expect(act, "all others as one").toHaveBeenCalledTimes(2);
  clock.advance(milli(3_000));
  expect(act).toHaveBeenCalledTimes(2);
});
