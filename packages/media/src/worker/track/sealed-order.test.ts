import { expect, test } from "vitest";
import { SealedOrder } from "./sealed-order.ts";

test("what its sealer made earlier than the last that went on does not follow, and another sealer counts for itself", () => {
  const order = new SealedOrder();
  const follows = (counter: number, stream = 1n) => order.follows({ stream, counter });
  expect([follows(7), follows(8), follows(8), follows(3), follows(11), follows(10)]).toEqual([
    true,
    true,
    false,
    false,
    true,
    false,
  ]);
  expect([follows(0, 2n), follows(1, 2n), follows(12), follows(1, 2n)]).toEqual([true, true, true, false]);
});
