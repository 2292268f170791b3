import { expect, test } from "vitest";
import { PictureOrder } from "./picture-order.ts";

test("what its sender sealed next follows, whatever the epoch, and after a gap nothing does before the next group", () => {
  const order = new PictureOrder();
  const follows = (isKey: boolean, counter: number, stream = 1n) => order.follows({ stream, counter }, isKey);
  expect([follows(false, 6), follows(true, 7), follows(false, 8), follows(false, 9)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect([follows(false, 11), follows(false, 12), follows(true, 13)]).toEqual([false, false, true]);
  expect([follows(false, 14, 2n), follows(false, 14), follows(true, 90, 2n), follows(false, 91, 2n)]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test("no group of what its sender sealed earlier than the last that went on follows", () => {
  const order = new PictureOrder();
  const follows = (isKey: boolean, counter: number) => order.follows({ stream: 1n, counter }, isKey);
  expect([follows(true, 60), follows(false, 61), follows(true, 0), follows(false, 1), follows(true, 120)]).toEqual([
    true,
    true,
    false,
    false,
    true,
  ]);
});
