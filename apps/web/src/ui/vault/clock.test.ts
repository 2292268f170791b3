import { expect, test } from "vitest";
import { clock } from "./clock.ts";

test.each([
  [0, "0:00"],
  [7.4, "0:07"],
  [59.6, "1:00"],
  [725, "12:05"],
  [3723, "1:02:03"],
  [36_000, "10:00:00"],
])("%d s are %s", (seconds, text) => {
  expect(clock(seconds)).toBe(text);
});
