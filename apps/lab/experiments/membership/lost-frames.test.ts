import { expect, test } from "vitest";
import { lostAtSwitch, neverCame } from "./lost-frames.command.ts";
import type { FrameSeen, TrackSeen } from "./membership.ts";

/** Frames of these counters, of epoch 2 from `end` on. */
function frames(end: number, counters: readonly number[], stream = "1"): FrameSeen[] {
  return counters.map((counter) => ({ stream, epoch: counter < end ? 1 : 2, counter, openedAt: 0 }));
}

const upTo = (last: number) => Array.from({ length: last + 1 }, (_, i) => i);

const without = (...left: number[]) => upTo(100).filter((n) => !left.includes(n));

test("frames that are missing between two epochs are told from those beside, others are not counted", () => {
  expect(neverCame(frames(50, upTo(100)))).toEqual([{ between: 0, beside: 0 }]);
  expect(neverCame(frames(50, without(49, 50, 3, 90)))).toEqual([{ between: 2, beside: 0 }]);
  expect(neverCame(frames(50, without(47, 50, 60, 61)))).toEqual([{ between: 1, beside: 3 }]);
  expect(neverCame(frames(200, upTo(100)))).toEqual([]);
});

test("frames may come in any order, and twice", () => {
  expect(neverCame(frames(50, [...upTo(100).reverse(), 49]))).toEqual([{ between: 0, beside: 0 }]);
});

test("each stream counts by itself", () => {
  const two = [...frames(50, upTo(100)), ...frames(70, without(70), "2")];
  expect(neverCame(two)).toEqual([
    { between: 0, beside: 0 },
    { between: 1, beside: 0 },
  ]);
});

test("the worst track counts, with what it refused meanwhile; one that came meanwhile does not", () => {
  const track = (id: string, refused: number, seen: FrameSeen[]): TrackSeen => ({
    id,
    kind: "audio",
    opened: 0,
    came: {},
    refused,
    frames: seen,
  });
  const before = [track("a", 3, []), track("b", 0, [])];
  const after = [track("a", 4, frames(9, upTo(20))), track("b", 0, frames(9, without(12))), track("new", 99, [])];
  expect(lostAtSwitch(before, after)).toEqual({ lost: 1, leftOut: 1 });
  expect(lostAtSwitch([], after)).toBeNull();
});
