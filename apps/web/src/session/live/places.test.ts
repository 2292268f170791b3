import { expect, test } from "vitest";
import { MOST_VIEWERS, placeFor } from "./places.ts";

const holders = (unproven: number, proven: number) =>
  new Map(Array.from({ length: unproven + proven }, (_, i) => [`viewer ${i}`, i >= unproven]));

test("twelve have a connection; the thirteenth has to wait", () => {
  expect(placeFor(true, holders(0, MOST_VIEWERS - 1))).toEqual({ is: "free" });
  expect(placeFor(true, holders(0, MOST_VIEWERS))).toBeNull();
  expect(placeFor(false, holders(0, MOST_VIEWERS))).toBeNull();
});

test("where the server says fewer, the next has to wait sooner", () => {
  expect(placeFor(true, holders(0, 1), 2)).toEqual({ is: "free" });
  expect(placeFor(true, holders(0, 2), 2)).toBeNull();
});

test("who proves nothing fills nothing: four of them at most have one, and the first gives it up to one who does", () => {
  expect([0, 3, 4, 12].map((unproven) => placeFor(false, holders(unproven, 0)))).toEqual([
    { is: "free" },
    { is: "free" },
    null,
    null,
  ]);
  expect(placeFor(true, holders(4, 0))).toEqual({ is: "free" });
  expect(placeFor(true, holders(4, 8))).toEqual({ is: "taken", from: "viewer 0" });
  expect(placeFor(true, holders(1, 11))).toEqual({ is: "taken", from: "viewer 0" });
});
