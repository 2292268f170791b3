import { expect, test } from "vitest";
import type { FrameSeen, TrackSeen } from "../../src/shared/membership.ts";
import { lostAtSwitch, neverCame } from "./lost-frames.ts";

/** Frames of these counters, of epoch 2 from `end` on. */
function frames(end: number, counters: readonly number[], stream = "1"): FrameSeen[] {
  return counters.map((counter) => ({ stream, epoch: counter < end ? 1 : 2, counter, openedAt: 0 }));
}

const upTo = (last: number) => Array.from({ length: last + 1 }, (_, i) => i);

test("frames that are missing around an epoch's end are counted, others are not", () => {
  expect(neverCame(frames(50, upTo(100)))).toEqual([0]);
  expect(
    neverCame(
      frames(
        50,
        upTo(100).filter((n) => n !== 49 && n !== 50 && n !== 3 && n !== 90),
      ),
    ),
  ).toEqual([2]);
  expect(neverCame(frames(200, upTo(100)))).toEqual([]);
});

test("frames may come in any order, and twice", () => {
  expect(neverCame(frames(50, [...upTo(100).reverse(), 49]))).toEqual([0]);
});

test("each stream counts by itself", () => {
  expect(
    neverCame([
      ...frames(50, upTo(100)),
      ...frames(
        70,
        upTo(100).filter((n) => n !== 71),
        "2",
      ),
    ]),
  ).toEqual([0, 1]);
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
  const after = [track("a", 4, frames(9, upTo(20))), track("b", 0, frames(9, upTo(20))), track("new", 99, [])];
  expect(lostAtSwitch(before, after)).toBe(1);
  expect(lostAtSwitch([], after)).toBeNull();
});
