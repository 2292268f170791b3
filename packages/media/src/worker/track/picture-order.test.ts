import { expect, test } from "vitest";
import { PictureOrder } from "./picture-order.ts";

test("what its sender sealed next follows, whatever the epoch, and after a gap nothing does before the next group", () => {
  const order = new PictureOrder();
  const follows = (isKey: boolean, counter: number, stream = 1n) => order.follows(isKey, { stream, counter });
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
