import { milli } from "@sealcast/time";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PlayerMode } from "../shared/messages.ts";
import { Arrivals } from "./arrivals.ts";

/** Frames of 40 ms, each by so much later than the fastest could be. `at` is the last one's arrival. */
function after(seconds: number, mode: PlayerMode, late: (atMs: number) => number) {
  const arrivals = new Arrivals(mode);
  let at = 0;
  const targets: number[] = [];
  for (let capturedMs = 0; capturedMs < 1_000 * seconds; capturedMs += 40) {
    at = Math.max(at, 5_000 + capturedMs + late(capturedMs));
    arrivals.add("video", capturedMs, milli(at));
    targets.push(arrivals.targetMs);
  }
  return { arrivals, at: milli(at), targets };
}

test("where nothing is late, it plays with the least delay that a mode has", () => {
  const { arrivals, at } = after(20, "lowest-latency", () => 0);
  expect(arrivals.targetMs).toBe(50);
  expect(arrivals.wantedAt(at)).toBe(at - 5_000 - 50);
  expect(after(20, "smoothest", () => 0).arrivals.targetMs).toBe(400);
});

test("lateness that comes again and again is waited for, and no longer once it is gone", () => {
  const { targets } = after(60, "lowest-latency", (at) => (at < 30_000 && at % 400 === 0 ? 180 : 0));
  expect(targets[600]).toBe(195);
  expect(targets.at(-1)).toBe(50);
});

test("one stall is waited for where it is to be smooth, and not where latency is to be low", () => {
  const stall = (at: number) => (at > 20_000 && at < 20_900 ? 20_900 - at : 0);
  expect(after(25, "lowest-latency", stall).arrivals.targetMs).toBe(50);
  const { targets } = after(60, "smoothest", stall);
  expect(Math.max(...targets)).toBeGreaterThan(850);
  expect(targets.at(-1)).toBe(400);
});

test("a newcomer who gets a group at once plays as the others do, not two seconds later", () => {
  const { arrivals, at } = after(10, "lowest-latency", (capturedMs) => Math.max(0, 2_000 - capturedMs));
  expect(arrivals.targetMs).toBe(50);
  expect(arrivals.wantedAt(at)).toBe(at - 5_050);
});

test("one who gets a group over a second does, too", () => {
  const { arrivals } = after(10, "lowest-latency", (capturedMs) => Math.max(0, 2_000 - capturedMs / 2));
  expect(arrivals.targetMs).toBe(50);
});

test("what has been there already does not count: the beginning of another size, the rest of a late group", () => {
  const { arrivals, at } = after(10, "lowest-latency", () => 0);
  for (let back = 2_000; back > 0; back -= 40) arrivals.add("video", 10_000 - 40 - back, at);
  expect(arrivals.targetMs).toBe(50);
});

test("while nothing comes, lateness rises", () => {
  const { arrivals, at } = after(10, "lowest-latency", () => 0);
  expect(arrivals.latenessAt(at)).toBe(0);
  expect(arrivals.latenessAt(milli(at + 1_500))).toBe(1_500);
});

test("another time is no lateness", () => {
  const { arrivals, at } = after(10, "smoothest", () => 0);
  expect(arrivals.add("video", 100_000, at)).toBe(false);
  expect(arrivals.add("audio", -100_000, at)).toBe(false);
  expect(arrivals.targetMs).toBe(400);
});

test("a path that is longer from now on is the path after half a minute", () => {
  const { arrivals, at } = after(90, "lowest-latency", (capturedMs) => (capturedMs < 20_000 ? 0 : 300));
  expect([arrivals.targetMs, arrivals.wantedAt(at)]).toEqual([50, at - 5_350]);
});

test("whatever comes, the target stays within its mode's bounds, and what is wanted is never ahead of what came first", () => {
  const frames = fc.array(fc.tuple(fc.constantFrom("video" as const, "audio" as const), fc.nat(200), fc.nat(3_000)), {
    maxLength: 300,
  });
  fc.assert(
    fc.property(frames, fc.constantFrom("lowest-latency" as const, "smoothest" as const), (all, mode) => {
      const arrivals = new Arrivals(mode);
      const [least, most] = mode === "smoothest" ? [400, 4_000] : [50, 1_000];
      let [captured, now] = [0, 0];
      for (const [track, step, late] of all) {
        captured += step;
        now = Math.max(now, captured + late);
        if (!arrivals.add(track, captured, milli(now))) continue;
        expect(arrivals.targetMs).toBeGreaterThanOrEqual(least);
        expect(arrivals.targetMs).toBeLessThanOrEqual(most);
        expect(arrivals.wantedAt(milli(now))!).toBeLessThanOrEqual(now - least);
      }
    }),
  );
});
