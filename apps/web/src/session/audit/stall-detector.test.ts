import type { Attachment } from "@sealcast/media";
import { describe, expect, it } from "vitest";
import type { Sample } from "./browser-counters.ts";
import { PROOF_EVERY } from "./encryption-audit.ts";
import { StallDetector } from "./stall-detector.ts";

const track = { id: "t1" } as Attachment;

/** Examines samples half a second apart, each beside that of a second ago, and gives in which ones something is missing. */
function missing(passed: number[], due: (at: number) => boolean = () => true): boolean[] {
  const samples = passed.map((frames) => ({ attachment: track, passed: frames }) as Sample);
  const eye = new StallDetector();
  return samples.map((now, at) => eye.examine([[now, samples[at - 2] ?? null]], due(at) ? [track] : []).length > 0);
}

describe("what someone sends and does not come", () => {
  it("shows within 3 s, at whatever moment between two samples it stops", () => {
    for (let phase = 0; phase < PROOF_EVERY; phase += 10) {
      const stop = 5 * PROOF_EVERY + phase;
      const passed = Array.from({ length: 14 }, (_, at) => Math.floor(Math.min(at * PROOF_EVERY, stop) / 40));
      const found = missing(passed).indexOf(true) * PROOF_EVERY;
      expect(found).toBeGreaterThan(stop + 1_500);
      expect(found).toBeLessThanOrEqual(stop + 3_000);
    }
  });

  it("shows where nothing ever came, and no more once something does", () => {
    expect(missing([0, 0, 0, 0, 0, 3, 6])).toEqual([false, false, false, false, true, false, false]);
  });

  it("is nothing while they do not send, nor in the moment after they began", () => {
    expect(missing([9, 9, 9, 9, 9, 9, 9, 12], (at) => at > 4)).not.toContain(true);
  });

  it("is nothing with a fresh transform, which counts from 0", () => {
    expect(missing([90, 95, 100, 2, 4, 6, 8, 10])).not.toContain(true);
  });
});
