import { expect, test } from "vitest";
import { dropOldest } from "./drop-oldest.ts";

test("what was added first goes, from a map as from a set, and is named", () => {
  const map = new Map([1, 2, 3, 4].map((number) => [number, "value"]));
  const set = new Set(["a", "b", "c"]);
  expect([dropOldest(map, 2), dropOldest(set, 2)]).toEqual([[1, 2], ["a"]]);
  expect([[...map.keys()], [...set]]).toEqual([
    [3, 4],
    ["b", "c"],
  ]);
});

test("what is added again is as old as it was, unless it was taken out before", () => {
  const set = new Set(["a", "b", "c"]);
  set.add("a");
  expect(dropOldest(set, 2)).toEqual(["a"]);
  set.delete("b");
  set.add("b");
  expect(dropOldest(set, 1)).toEqual(["c"]);
});

test("where there are no more than that, nothing goes", () => {
  const set = new Set(["a"]);
  expect([dropOldest(set, 1), dropOldest(set, 2), set.size]).toEqual([[], [], 1]);
});
