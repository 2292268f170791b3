import fc from "fast-check";
import { expect, test } from "vitest";
import { Clocks } from "./index.ts";

test("two clocks are related within what is said, however long each way takes", () => {
  const way = fc.nat(300);
  fc.assert(
    fc.property(fc.integer(), fc.array(fc.tuple(way, way, way), { minLength: 1, maxLength: 30 }), (toHere, ways) => {
      const clocks = new Clocks();
      let now = 0;
      for (const [there, work, back] of ways) {
        const came = now + there - toHere;
        clocks.add({ asked: now, came, left: came + work, answered: now + there + work + back });
        now += 1_000;
      }
      const relation = clocks.relation;
      expect(Math.abs((relation?.toHere ?? NaN) - toHere)).toBeLessThanOrEqual(relation?.within ?? NaN);
    }),
  );
});

test("the quickest of the last exchanges counts, and old ones are forgotten", () => {
  const clocks = new Clocks();
  expect(clocks.relation).toBeNull();
  clocks.add({ asked: 0, came: 1, left: 1, answered: 2 });
  for (let at = 0; at < 16; at++) {
    expect(clocks.relation?.within).toBe(1);
    clocks.add({ asked: 0, came: 50, left: 50, answered: 100 });
  }
  expect(clocks.relation).toEqual({ toHere: 0, within: 50 });
});

test("an exchange that cannot have been says nothing", () => {
  const clocks = new Clocks();
  clocks.add({ asked: 0, came: 0, left: 10, answered: 5 });
  clocks.add({ asked: 0, came: 10, left: 0, answered: 5 });
  clocks.add({ asked: 0, came: Number.NaN, left: 0, answered: 5 });
  expect(clocks.relation).toBeNull();
});
