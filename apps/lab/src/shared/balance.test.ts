import { expect, test } from "vitest";
import { balanced } from "./balance.ts";

test("an order is followed by its mirror image", () => {
  expect(balanced(["a", "b", "c"], 2)).toEqual([
    ["a", "b", "c"],
    ["c", "b", "a"],
  ]);
});

test("six rounds are every order of three things once", () => {
  const orders = balanced(["a", "b", "c"], 6).map((order) => order.join(""));
  expect(orders.toSorted()).toEqual(["abc", "acb", "bac", "bca", "cab", "cba"]);
});

test("every round has each thing once", () => {
  for (const order of balanced([1, 2, 3, 4], 11)) expect(order.toSorted()).toEqual([1, 2, 3, 4]);
});
