import { milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { TierByLateness } from "./tier-by-lateness.ts";

/** Looks twice a second, for so many seconds. @returns the tiers that were watched, each once in a row */
function watched(choice: TierByLateness, fromS: number, toS: number, lateness: (atS: number, tier: number) => number) {
  const tiers: number[] = [];
  let tier = choice.examine(milli(1_000 * fromS), 200);
  for (let at = fromS; at < toS; at += 0.5) {
    tier = choice.examine(milli(1_000 * at), lateness(at, tier));
    if (tier !== tiers.at(-1)) tiers.push(tier);
  }
  return tiers;
}

test("a connection that is too slow gets smaller tiers, one after the other, and no less than the smallest", () => {
  expect(watched(new TierByLateness(3, 2), 0, 20, () => 900)).toEqual([2, 1, 0]);
});

test("one that has room gets larger ones, ten seconds apart", () => {
  const choice = new TierByLateness(3, 0);
  expect(watched(choice, 0, 9, () => 20)).toEqual([0]);
  expect(watched(choice, 9.5, 30, () => 20)).toEqual([0, 1, 2]);
});

test("one late moment, and lateness that is neither, change nothing", () => {
  const choice = new TierByLateness(3, 1);
  expect(watched(choice, 0, 120, (at) => (at % 8 === 0 ? 2_000 : 200))).toEqual([1]);
});

test.each([
  ["the only tier", 1, 50],
  ["the largest of two, which is tried ever more rarely", 2, 117],
])(
  "it is late from when %s was too much, for 40 s, until that has been fine for as long as a try waits",
  (_, count, until) => {
    const choice = new TierByLateness(count, count - 1);
    const late: number[] = [];
    let tier = count - 1;
    for (let at = 0; at < 200; at += 0.5) {
      tier = choice.examine(milli(1_000 * at), at < 40 && tier === count - 1 ? 900 : 20);
      if (choice.isLate) late.push(at);
    }
    expect([late[0], (late.at(-1) ?? 0) + 0.5]).toEqual([1.5, until]);
    expect(late, "in one go").toHaveLength(2 * (until - 1.5));
  },
);

test("how late it was before a pause counts for nothing after it", () => {
  const choice = new TierByLateness(3, 1);
  const tiers = [0, 0.5, 1, 8, 8.5, 9, 9.5].map((at) => choice.examine(milli(1_000 * at), 900));
  expect(tiers).toEqual([1, 1, 1, 1, 1, 1, 0]);
});

test("a tier that is too much is tried ever more rarely", () => {
  const choice = new TierByLateness(2, 0);
  const raised: number[] = [];
  let before = 0;
  watched(choice, 0, 900, (at, tier) => {
    if (tier > before) raised.push(at);
    before = tier;
    return tier === 1 ? 800 : 20;
  });
  const gaps = raised.slice(1).map((at, i) => at - raised[i]!);
  expect(raised.length).toBeLessThan(10);
  expect(gaps.at(-1)).toBeGreaterThan(150);
  expect(gaps).toEqual(gaps.toSorted((a, b) => a - b));
});
