import { expect, test } from "vitest";
import { Sights, UNSEEN } from "./sights.ts";

test("a video is asked for as large as the largest place needs, and not at all once nobody sees it anywhere", () => {
  const sights = new Sights();
  expect(sights.of("ada")).toBeNull();
  sights.see("ada", "stage", { width: 640, height: 360 });
  sights.see("ada", "window", { width: 300, height: 400 });
  sights.see("ben", "stage", { width: 100, height: 50 });
  expect(sights.of("ada")).toEqual({ width: 640, height: 400 });
  expect(sights.of("ben")).toEqual({ width: 100, height: 50 });
  sights.see("ada", "stage", UNSEEN);
  expect(sights.of("ada")).toEqual({ width: 300, height: 400 });
  sights.see("ada", "window", UNSEEN);
  expect(sights.of("ada")).toEqual(UNSEEN);
});
