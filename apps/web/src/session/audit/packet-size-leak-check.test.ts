import { expect, test } from "vitest";
import type { Sample } from "./browser-counters.ts";
import { PacketSizeLeakCheck } from "./packet-size-leak-check.ts";

type Line = Pick<Sample, "direction"> & { kind: "audio" | "video" };

const sent: Line = { direction: "sent", kind: "audio" };

/** What it says after each sample of one line, whose last frames had this many lengths. */
function said(lengths: (number | null)[], { direction, kind }: Line = sent): boolean[] {
  const speech = new PacketSizeLeakCheck();
  return lengths.map((count) => {
    const report = count === null ? null : { lengths: count };
    return speech.shows([[{ direction, line: { kind }, report } as Sample, null]]);
  });
}

const times = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);

test("shows where sound has gone out in many lengths for three seconds, and no longer once it does not", () => {
  expect(said([...times(6, 20), 2])).toEqual([...times(5, false), true, false]);
});

test("a moment of many lengths, or a bitrate that follows the network, is nothing", () => {
  expect(said([...times(5, 20), 5, ...times(5, 20)])).toEqual(times(11, false));
  expect(said(times(20, 5))).toEqual(times(20, false));
});

test("pictures, what comes from others, and lines of which nothing is known do not count", () => {
  expect(said(times(10, 20), { direction: "sent", kind: "video" })).toEqual(times(10, false));
  expect(said(times(10, 20), { direction: "received", kind: "audio" })).toEqual(times(10, false));
  expect(said(times(10, null))).toEqual(times(10, false));
});
