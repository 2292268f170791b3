import { expect, test } from "vitest";
import { FramePace } from "./frame-pace.ts";

const cost = (share: number, framesPerSecond: number) => ({ msPerFrame: 10, share, delayMs: 10, framesPerSecond });
const IDLE = cost(0.3, 30);
const SLOW = cost(0.95, 12);
const STILLS = cost(1, 2);
/** A dark room: the camera gives few frames, and the worker has time. */
const DARK = cost(0.2, 8);

function steps(pace: FramePace, of: ReturnType<typeof cost>, count: number): string[] {
  return Array.from({ length: count }, () => pace.examine(of));
}

test("frames keep their height where the worker has time, however few the camera gives", () => {
  const pace = new FramePace();
  expect(new Set([...steps(pace, IDLE, 50), ...steps(pace, DARK, 50)])).toEqual(new Set(["keep"]));
  expect(pace.mostHeight).toBe(720);
});

test("a worker that does not keep up for three seconds gets smaller frames, one step at a time, and is looked at afresh", () => {
  const pace = new FramePace();
  expect(steps(pace, SLOW, 6)).toEqual(["keep", "keep", "keep", "keep", "keep", "lower"]);
  expect(pace.mostHeight).toBe(360);
  expect(steps(pace, SLOW, 6).at(-1)).toBe("lower");
  expect(pace.mostHeight).toBe(180);
  expect(new Set(steps(pace, SLOW, 50))).toEqual(new Set(["keep"]));
});

test("a moment's work elsewhere changes nothing", () => {
  const pace = new FramePace();
  for (let round = 0; round < 10; round++)
    expect(new Set([...steps(pace, SLOW, 5), ...steps(pace, IDLE, 5)])).toEqual(new Set(["keep"]));
});

test("where even the smallest frames are stills one after another, it gives up", () => {
  const pace = new FramePace();
  expect(steps(pace, STILLS, 18).filter((step) => step !== "keep")).toEqual(["lower", "lower", "give-up"]);
});

test("asked to make way, it goes down as far as there is something below", () => {
  const pace = new FramePace();
  expect([pace.lower(), pace.lower(), pace.lower()]).toEqual([true, true, false]);
  expect(pace.mostHeight).toBe(180);
});
