import { expect, test } from "vitest";
import type { Stats } from "../peer/link-stats.ts";
import { loudnessBetween, soundHeard, soundMade } from "./loudness.ts";

const entry = (of: Partial<Stats>): Stats => ({ id: "x", timestamp: 0, type: "inbound-rtp", ...of });

test("loudness is the mean energy of the time between, whatever came before", () => {
  expect(loudnessBetween({ energy: 5, seconds: 100 }, { energy: 5.05, seconds: 100.5 })).toBeCloseTo(-10);
});

test.each([
  [null, { energy: 1, seconds: 1 }],
  [{ energy: 1, seconds: 1 }, null],
  [
    { energy: 1, seconds: 1 },
    { energy: 1, seconds: 1 },
  ],
  [
    { energy: 1, seconds: 2 },
    { energy: 0.5, seconds: 0.1 },
  ],
])("without anything measured between %j and %j it is silence", (before, now) => {
  expect(loudnessBetween(before, now)).toBe(-100);
});

test("a line is known by its mid, and levels that a sender asserts are not read", () => {
  const heard = entry({ kind: "audio", mid: "0", totalAudioEnergy: 1, totalSamplesDuration: 2 });
  const asserted = { ...entry({ kind: "audio", mid: "1" }), audioLevel: 1 };
  const screen = entry({ id: "S", type: "media-source", kind: "audio", totalAudioEnergy: 9, totalSamplesDuration: 9 });
  const made = entry({ id: "M", type: "media-source", kind: "audio", totalAudioEnergy: 3, totalSamplesDuration: 4 });
  const sent = (mid: string, mediaSourceId: string) =>
    entry({ type: "outbound-rtp", kind: "audio", mid, mediaSourceId });
  expect(soundHeard([heard, asserted, made], "0")).toEqual({ energy: 1, seconds: 2 });
  expect(soundHeard([heard, asserted, made], "1")).toBeNull();
  const all = [screen, sent("1", "S"), made, sent("0", "M")];
  expect(soundMade(all, "0"), "a screen's sound is not the microphone's").toEqual({ energy: 3, seconds: 4 });
  expect(soundMade([screen, sent("1", "S")], "0")).toBeNull();
});
