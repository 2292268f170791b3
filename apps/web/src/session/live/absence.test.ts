import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { Lifetime } from "../lifetime.ts";
import { Absence } from "./absence.ts";

test("minutes count from when the host went, whatever else is said meanwhile, and end with the host's return", () => {
  const clock = new ManualClock();
  const shown: number[] = [];
  const absence = new Absence(new Lifetime(clock), (minutes) => shown.push(minutes));
  absence.stands(false);
  clock.advance(milli(50_000));
  absence.stands(true);
  clock.advance(milli(65_000));
  absence.stands(true);
  clock.advance(milli(70_000));
  absence.stands(false);
  clock.advance(milli(600_000));
  expect(shown).toEqual([1, 2, 0]);
});
