import { expect, it } from "vitest";
import { ManualClock, milli, TokenBucket } from "./index.ts";

it("gives its burst at once, then its rate, and never more than the burst", () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ burst: 3, perSecond: 2 }, clock);
  const taken = () => Array.from({ length: 5 }, () => bucket.tryTake()).filter(Boolean).length;
  expect(taken()).toBe(3);
  clock.advance(milli(999));
  expect(taken()).toBe(1);
  clock.advance(milli(60_000));
  expect(taken()).toBe(3);
  expect(bucket.left, "what was refused took nothing").toBe(0);
});

it("may be overdrawn, by several at once, and tells by how much", () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ burst: 3, perSecond: 1 }, clock);
  expect([bucket.isFull, bucket.take(5), bucket.isFull]).toEqual([true, -2, false]);
  clock.advance(milli(1_000));
  expect([bucket.left, bucket.tryTake()]).toEqual([-1, false]);
});
