import fc from "fast-check";
import { expect, test } from "vitest";
import { ClockOffset } from "./index.ts";

test("two clocks are related within what is said, however long each way takes", () => {
  const way = fc.nat(300);
  fc.assert(
    fc.property(fc.integer(), fc.array(fc.tuple(way, way, way), { minLength: 1, maxLength: 30 }), (toHere, ways) => {
      const clocks = new ClockOffset();
      let now = 0;
      for (const [there, work, back] of ways) {
        const came = now + there - toHere;
        clocks.add({ asked: now, came, left: came + work, answered: now + there + work + back });
        now += 1_000;
      }
      const relation = clocks.estimate;
      expect(Math.abs((relation?.toHere ?? NaN) - toHere)).toBeLessThanOrEqual(relation?.within ?? NaN);
    }),
  );
});

test("the quickest of the last exchanges counts, and old ones are forgotten", () => {
  const clocks = new ClockOffset();
  expect(clocks.estimate).toBeNull();
  clocks.add({ asked: 0, came: 1, left: 1, answered: 2 });
  for (let at = 0; at < 16; at++) {
    expect(clocks.estimate?.within).toBe(1);
    clocks.add({ asked: 0, came: 50, left: 50, answered: 100 });
  }
  expect(clocks.estimate).toEqual({ toHere: 0, within: 50 });
});

test("an exchange that cannot have been says nothing", () => {
  const clocks = new ClockOffset();
  clocks.add({ asked: 0, came: 0, left: 10, answered: 5 });
  clocks.add({ asked: 0, came: 10, left: 0, answered: 5 });
  clocks.add({ asked: 0, came: Number.NaN, left: 0, answered: 5 });
  expect(clocks.estimate).toBeNull();
});
