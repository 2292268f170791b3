import type { FanOutReport, TrackReport } from "@sealcast/media";
import { expect, it } from "vitest";
import type { Sample } from "./browser-counters.ts";
import { Overload } from "./overload.ts";

/** A track whose frames came late so often by now; null: its worker does not answer. */
function track(late: number | null): Sample {
  const report = late === null ? null : ({} as TrackReport);
  return { late: late ?? 0, report, renewals: 0 } as Sample;
}

/** What it says after each sample, half a second apart. */
function said(lates: (number | null)[]): boolean[] {
  const overload = new Overload();
  const tracks = lates.map(track);
  return tracks.map((now, at) =>
    overload.examine({ samples: [[now, tracks[at - 2] ?? null]], fanOuts: { now: [], before: [] } }),
  );
}

it("says so when many frames come late in four samples of eight, until four seconds went well", () => {
  const busy = [0, 10, 20, 30, 40, 50];
  const well = Array(9).fill(50);
  const seen = said([...busy, ...well]);
  expect(seen.indexOf(true)).toBe(5);
  expect(seen.lastIndexOf(true)).toBe(13);
});

it("says nothing of a frame now and then, nor of what came late long ago", () => {
  expect(said([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])).not.toContain(true);
  expect(said([900, 900, 900, null, 900, 900, null, 900, 900])).not.toContain(true);
});

it("says so when workers do not answer", () => {
  expect(said([0, null, null, null, null]).at(-1)).toBe(true);
});

it("says so when what is encoded once for several people cannot be sealed in time", () => {
  const overload = new Overload();
  const fanOut = (count: number) => [{ encoders: [{ refused: [{ why: "late", count }] }] } as FanOutReport];
  const seen = [1, 2, 3, 4].map((at) =>
    overload.examine({ samples: [], fanOuts: { now: fanOut(at), before: fanOut(at - 1) } }),
  );
  expect(seen).toEqual([false, false, false, true]);
});
