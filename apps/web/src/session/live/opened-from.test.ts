import { milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { OpenedFrom } from "./opened-from.ts";

const floors = (highest: number) => [{ kid: 1n, highest }];

test("who comes opens what was sealed in the last 4 s, and nothing of before", () => {
  const from = new OpenedFrom();
  expect(from.sealed(milli(0), floors(99)), "nothing is sealed yet").toEqual(floors(99));
  for (let at = 500; at <= 4_000; at += 500) expect(from.sealed(milli(at), floors(at))).toEqual(floors(99));
  expect(from.sealed(milli(4_500), floors(4_500))).toEqual(floors(500));
  expect(from.sealed(milli(5_000), floors(5_000))).toEqual(floors(1_000));
});

test("after the page stood still, what was sealed before it goes on is old", () => {
  const from = new OpenedFrom();
  from.sealed(milli(0), floors(1));
  expect(from.sealed(milli(6_000), floors(2))).toEqual(floors(1));
  expect(from.sealed(milli(66_000), floors(3))).toEqual(floors(3));
  expect(from.sealed(milli(67_000), floors(4))).toEqual(floors(3));
  expect(from.sealed(milli(71_000), floors(5))).toEqual(floors(4));
});
