import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { OverloadSteps } from "./overload-steps.ts";

function stepping() {
  const clock = new ManualClock();
  const steps = new OverloadSteps(clock);
  /** What it says in this many seconds, once a second. */
  return (seconds: number, isOverloaded: boolean) =>
    Array.from({ length: seconds }, () => {
      clock.advance(milli(1_000));
      return steps.examine(isOverloaded);
    });
}

test("an overloaded computer gives up more of its video step by step, each with time to help", () => {
  const said = stepping()(20, true);
  expect(said[0]).toBe(1);
  expect([said.indexOf(2), said.indexOf(3)]).toEqual([5, 10]);
  expect(said.at(-1)).toBe(3);
});

test("what was given up comes back step by step once it has been well for a while", () => {
  const during = stepping();
  during(12, true);
  const said = during(60, false);
  expect([said.indexOf(2), said.indexOf(1), said.indexOf(0)]).toEqual([14, 29, 44]);
});

test("a step that came back too early comes back after twice as long the next time", () => {
  const during = stepping();
  during(1, true);
  expect(during(30, false).indexOf(0)).toBe(14);
  during(1, true);
  expect(during(60, false).indexOf(0)).toBe(29);
  during(1, true);
  expect(during(90, false).indexOf(0)).toBe(59);
  during(300, false);
  during(1, true);
  expect(during(30, false).indexOf(0), "long ago").toBe(14);
});
