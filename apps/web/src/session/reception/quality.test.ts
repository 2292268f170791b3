import fc from "fast-check";
import { expect, test } from "vitest";
import { GOOD, type LinkFigures, qualitiesOf } from "./quality.ts";

const FINE: LinkFigures = { lostHere: 0, lostThere: 0, roundTripMs: 40, jitterMs: 5, madeUp: 0, carries: 2_000_000 };

const links = (...figures: Partial<LinkFigures>[]) =>
  new Map(figures.map((figure, at) => [`${at}`, { ...FINE, ...figure }]));

test("a connection that is fine, or that nothing was measured of, is good", () => {
  const unknown = { lostHere: NaN, lostThere: NaN, roundTripMs: NaN, jitterMs: NaN, madeUp: NaN, carries: NaN };
  expect([...qualitiesOf(links({}, unknown), false).values()]).toEqual([GOOD, GOOD]);
});

test.each([
  ["loss", { lostHere: 0.05 }, { lostHere: 0.2 }],
  ["loss", { lostThere: 0.05 }, { lostThere: 0.2 }],
  ["delay", { roundTripMs: 400 }, { roundTripMs: 900 }],
  ["unsteady", { jitterMs: 80 }, { jitterMs: 200 }],
  ["unsteady", { madeUp: 0.08 }, { madeUp: 0.3 }],
  ["slow", { carries: 100_000 }, { carries: 30_000 }],
] as const)("%s has two steps: %j and %j", (fault, fair, poor) => {
  expect(qualitiesOf(links(fair), false).get("0")).toEqual({ steps: 2, reason: { fault, side: "between" } });
  expect(qualitiesOf(links(poor), false).get("0")).toEqual({ steps: 1, reason: { fault, side: "between" } });
});

test("what one of several has is on their side, what most have is on this one", () => {
  const theirs = qualitiesOf(links({ lostHere: 0.2 }, {}, {}), false);
  expect(theirs.get("0")?.reason).toEqual({ fault: "loss", side: "there" });
  expect(theirs.get("1")).toEqual(GOOD);
  const ours = qualitiesOf(links({ lostHere: 0.2 }, { lostThere: 0.05 }, {}), false);
  expect(ours.get("0")?.reason).toEqual({ fault: "loss", side: "here" });
  expect(ours.get("1")?.reason).toEqual({ fault: "loss", side: "here" });
});

test("a computer that does not keep up is named before gaps and late answers, and not before packets that were lost", () => {
  expect(qualitiesOf(links({}), true).get("0")).toEqual({ steps: 2, reason: "overloaded" });
  expect(qualitiesOf(links({ madeUp: 0.5 }), true).get("0")).toEqual({ steps: 1, reason: "overloaded" });
  expect(qualitiesOf(links({ lostHere: 0.5 }), true).get("0")?.reason).toEqual({ fault: "loss", side: "between" });
});

test("whatever is measured, a reason is given where a connection is not good, and none where it is", () => {
  const figure = fc.double({ min: 0, max: 5_000_000 });
  const any = fc.record({
    lostHere: fc.double({ min: 0, max: 1 }),
    lostThere: fc.double({ min: 0, max: 1 }),
    roundTripMs: figure,
    jitterMs: figure,
    madeUp: fc.double({ min: 0, max: 1 }),
    carries: figure,
  });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 8 }), fc.boolean(), (figures, overloaded) => {
      for (const { steps, reason } of qualitiesOf(links(...figures), overloaded).values())
        expect(reason === null).toBe(steps === 3);
    }),
  );
});
