import fc from "fast-check";
import { expect, test } from "vitest";
import { allowsClear, EVERYTHING, type Policy, selects } from "./policy.ts";

const draws = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const policies: fc.Arbitrary<Policy> = fc.oneof(
  fc.constant(EVERYTHING),
  fc.constant<Policy>({ mode: "key-frames" }),
  fc.record({ mode: fc.constant("rate" as const), percent: fc.integer({ min: 0, max: 100 }), keyFrames: fc.boolean() }),
);

test("everything is sealed by default, and at 100 %", () => {
  fc.assert(
    fc.property(draws, fc.boolean(), fc.boolean(), (draw, isKey, keyFrames) => {
      expect(selects(EVERYTHING, isKey, () => draw)).toBe(true);
      expect(selects({ mode: "rate", percent: 100, keyFrames }, isKey, () => draw)).toBe(true);
      expect(allowsClear({ mode: "rate", percent: 100, keyFrames }, isKey)).toBe(false);
    }),
  );
});

test("at 0 % nothing is sealed but key frames where they always are", () => {
  fc.assert(
    fc.property(draws, (draw) => {
      expect(selects({ mode: "rate", percent: 0, keyFrames: false }, true, () => draw)).toBe(false);
      expect(selects({ mode: "rate", percent: 0, keyFrames: true }, true, () => draw)).toBe(true);
      expect(selects({ mode: "rate", percent: 0, keyFrames: true }, false, () => draw)).toBe(false);
    }),
  );
});

test("key frames only: the others stay readable", () => {
  expect(selects({ mode: "key-frames" }, true, () => 0.99)).toBe(true);
  expect(selects({ mode: "key-frames" }, false, () => 0)).toBe(false);
});

test("a rate is the share of draws that seal", () => {
  const sealed = Array.from({ length: 1000 }, (_, i) => i / 1000).filter((draw) =>
    selects({ mode: "rate", percent: 25, keyFrames: true }, false, () => draw),
  );
  expect(sealed).toHaveLength(250);
  expect(Math.max(...sealed)).toBeLessThan(0.25);
});

test("a frame that is left readable is one that the policy allows", () => {
  fc.assert(
    fc.property(policies, fc.boolean(), draws, (policy, isKey, draw) => {
      if (!allowsClear(policy, isKey)) expect(selects(policy, isKey, () => draw)).toBe(true);
    }),
  );
});
