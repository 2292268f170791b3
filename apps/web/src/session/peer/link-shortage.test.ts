import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { LinkShortage, readingOf } from "./link-shortage.ts";
import type { Stats } from "./link-stats.ts";

const SLOW = { estimate: 40_000, lost: 0 };
const FAST = { estimate: 900_000, lost: 0 };
type Reading = typeof SLOW | { estimate: null; lost: number } | null;

function watched() {
  const clock = new ManualClock();
  const shortage = new LinkShortage(clock);
  /** Looks twice a second for so long, and gives how many seconds of that video was paused. */
  const pausedDuring = (seconds: number, reading: Reading) => {
    let paused = 0;
    for (let at = 0; at < 2 * seconds; at++) {
      clock.advance(milli(500));
      if (shortage.examine(reading)) paused += 0.5;
    }
    return paused;
  };
  return { pausedDuring };
}

test("video pauses once the link has been too slow for it for three seconds, not for a moment", () => {
  const { pausedDuring } = watched();
  expect(pausedDuring(2.5, SLOW)).toBe(0);
  expect(pausedDuring(1, FAST)).toBe(0);
  expect(pausedDuring(3, SLOW)).toBe(0);
  expect(pausedDuring(4, SLOW)).toBe(4);
});

test("it is tried again, each time after twice as long while it does not go, and at once as at first when it went well", () => {
  const { pausedDuring } = watched();
  expect(pausedDuring(3.5, SLOW)).toBeGreaterThan(0);
  // Paused for 8 s, tried for 6, paused for 16, tried for 6, paused for 32: in the end of each minute, most of it.
  const hour = pausedDuring(3_600, SLOW) / 3_600;
  expect(hour).toBeGreaterThan(0.85);
  expect(hour).toBeLessThan(1);
  pausedDuring(61, null);
  expect(pausedDuring(30, FAST), "it is back").toBe(0);
  pausedDuring(3, SLOW);
  expect(pausedDuring(8, SLOW)).toBe(8);
  expect(pausedDuring(2, FAST)).toBe(0);
});

test("where the browser estimates nothing, much lost sound counts; where it does, what is lost elsewhere does not", () => {
  expect(watched().pausedDuring(6, { estimate: null, lost: 0.3 })).toBeGreaterThan(2);
  expect(watched().pausedDuring(6, { estimate: null, lost: 0.1 })).toBe(0);
  expect(watched().pausedDuring(6, { estimate: 900_000, lost: 0.5 })).toBe(0);
});

test("reads the estimate of the pair in use, and what the other end says it lost of the sound", () => {
  const entries = [
    { type: "candidate-pair", nominated: false, availableOutgoingBitrate: 5 },
    { type: "candidate-pair", nominated: true, availableOutgoingBitrate: 7 },
    { type: "remote-inbound-rtp", kind: "video", fractionLost: 0.9 },
    { type: "remote-inbound-rtp", kind: "audio", fractionLost: 0.1 },
  ] as unknown as Stats[];
  expect(readingOf(entries)).toEqual({ estimate: 7, lost: 0.1 });
  expect(readingOf([])).toEqual({ estimate: null, lost: 0 });
});
