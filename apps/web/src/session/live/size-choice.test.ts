import { milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { SizeChoice } from "./size-choice.ts";

const SIZES = [
  { width: 1280, height: 720 },
  { width: 640, height: 360 },
  { width: 320, height: 180 },
];
const IN_TIME = 50;
const LATE = 900;

test("the size is the largest until sizes are known, and then what is shown needs; out of sight it stays", () => {
  const choice = new SizeChoice();
  choice.shows({ width: 300, height: 169 });
  expect(choice.examine(milli(0), IN_TIME)).toBe(0);
  choice.offered(SIZES);
  expect(choice.examine(milli(500), IN_TIME)).toBe(2);
  choice.shows({ width: 1_000, height: 563 });
  expect(choice.examine(milli(1_000), IN_TIME)).toBe(0);
  choice.shows({ width: 0, height: 0 });
  expect(choice.examine(milli(1_500), IN_TIME)).toBe(0);
});

test("what comes late is watched in a smaller size, and never in one that the host does not make", () => {
  const choice = new SizeChoice();
  choice.offered(SIZES);
  const seen = new Set<number>();
  for (let at = 0; at < 20_000; at += 500) seen.add(choice.examine(milli(at), LATE));
  expect([...seen]).toEqual([0, 1, 2]);
  choice.offered(SIZES.slice(0, 2));
  expect(choice.examine(milli(20_500), IN_TIME)).toBe(0);
  for (let at = 21_000; at < 30_000; at += 500) choice.examine(milli(at), LATE);
  expect(choice.examine(milli(30_000), LATE)).toBe(1);
});
