import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, describe, expect, it } from "vitest";
import { smallestFor } from "../../shared/fan-out.ts";
import { LinkBudget } from "./link-budget.ts";
import { rateOf, TierChoice, tiersOf } from "./tiers.ts";

const tiers = tiersOf(1280, 720);
const least = tiers.map((tier) => tier.least);

let clock: ManualClock;
let choice: TierChoice;
beforeEach(() => {
  clock = new ManualClock();
  choice = new TierChoice(clock);
});

/** A link that has long been at the size for `rate`. */
function settled(rate: number): void {
  choice.choose(tiers, rate);
  clock.advance(milli(60_000));
}

/** The size after the link's rate has been so for that long, asked every 200 ms. */
function after(ms: number, rate: number): number {
  let tier = choice.choose(tiers, rate);
  for (let at = 0; at < ms; at += 200) {
    clock.advance(milli(200));
    tier = choice.choose(tiers, rate);
  }
  return tier;
}

describe("sizes", () => {
  it("go down by halves, and stop where a picture is too small to be worth it", () => {
    const sizes = (width: number, height: number) => tiersOf(width, height).map((tier) => [tier.width, tier.height]);
    expect(sizes(1280, 720)).toEqual([
      [1280, 720],
      [640, 360],
      [320, 180],
    ]);
    expect(sizes(640, 360)).toEqual([
      [640, 360],
      [320, 180],
    ]);
    expect(sizes(270, 480), "held upright, and even").toEqual([[270, 480]]);
    expect(sizes(160, 120)).toEqual([[160, 120]]);
  });

  it("overlap: a link that gets the most of one may be found to have room for the next", () => {
    // An estimate rises to one and a half times of what is sent.
    for (const [at, { most }] of tiers.entries()) {
      settled(most);
      expect(after(10_000, new LinkBudget(clock, 1.5 * most).rate)).toBe(Math.max(0, at - 1));
    }
  });

  it("suffice up to a tenth more than they have, both ways; none is larger than the picture's own", () => {
    const size = (width: number, height: number) => tiers[smallestFor(tiers, { width, height })]?.width;
    expect([size(320, 180), size(352, 198), size(353, 198), size(352, 199)]).toEqual([320, 320, 640, 640]);
    expect([size(704, 396), size(705, 396), size(3_840, 2_160)]).toEqual([640, 1280, 1280]);
    expect(size(0, 0), "that nobody sees").toBe(320);
  });

  it("are made at the rate of the slowest of their links, within bounds", () => {
    const [first] = tiers;
    if (first === undefined) throw new Error("no size");
    expect(rateOf(first, [1_000_000, 1_500_000])).toBe(900_000);
    expect(rateOf(first, [100_000, 9_000_000])).toBe(first.least);
    expect(rateOf(first, [9_000_000])).toBe(first.most);
  });
});

describe("a link's size", () => {
  it("is at first the largest that its rate allows", () => {
    expect(choice.choose(tiers, 5_000_000)).toBe(0);
    expect(new TierChoice(clock).choose(tiers, 400_000)).toBe(1);
    expect(new TierChoice(clock).choose(tiers, 1_000)).toBe(2);
  });

  it("follows a new link's estimate at once", () => {
    choice.choose(tiers, 200_000);
    expect(choice.choose(tiers, 5_000_000)).toBe(0);
  });

  it("goes up when there was room for three seconds, and not when there only just is", () => {
    settled(400_000);
    const just = 1.1 * (least[0] ?? 0);
    expect(after(10_000, just)).toBe(1);
    const room = 1.3 * (least[0] ?? 0);
    expect(after(2_800, room)).toBe(1);
    expect(after(400, room)).toBe(0);
  });

  it("forgets how long there was room when there is none for a moment", () => {
    settled(400_000);
    after(2_800, 5_000_000);
    after(0, 400_000);
    expect(after(2_800, 5_000_000)).toBe(1);
  });

  it("goes down after two seconds of too little, and at once when it is far too little", () => {
    settled(5_000_000);
    const little = 0.8 * (least[0] ?? 0);
    expect(after(1_800, little)).toBe(0);
    expect(after(400, little)).toBe(1);
    expect(after(0, 0.1 * (least[1] ?? 0))).toBe(2);
  });

  it("goes down at once where frames are not to be left out", () => {
    settled(5_000_000);
    expect(choice.choose(tiers, 0.8 * (least[0] ?? 0), true)).toBe(1);
  });

  it("is one that there is when the camera changes to a smaller picture", () => {
    settled(200_000);
    expect(choice.choose(tiersOf(160, 120), 200_000)).toBe(0);
  });

  it("of text, a slow link gets the whole size rather than one that cannot be read, and has room for its key frames", () => {
    const [text] = tiersOf(1920, 1080, { standsStill: true, isText: true });
    const [film] = tiersOf(1920, 1080, { standsStill: true, isText: false });
    const [camera] = tiersOf(1920, 1080);
    expect([text?.least, film?.least]).toEqual([750_000, camera?.least]);
    // Of a page of dense text at 1080 lines, H.264 makes some 430 kB.
    expect(text?.keyBytes).toBeGreaterThan(430_000);
    expect([film?.keyBytes, camera?.keyBytes]).toEqual([text?.keyBytes, 0]);
  });
});
