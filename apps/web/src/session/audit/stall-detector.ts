import type { Attachment } from "@sealcast/media";
import type { Sample } from "./browser-counters.ts";

/** Samples in a row, half a second apart, before each of which nothing had come for a second: it shows within three. */
const PATIENCE = 3;

/**
 * Finds tracks of which nothing comes though their sender sends them. No count tells of frames that someone on the way
 * keeps back: it is as if nobody moved, or spoke.
 */
export class StallDetector {
  #quiet = new Map<Attachment, number>();

  /** `due`: those that their senders say they send, over a way that is up. Gives those of which nothing comes. */
  examine(pairs: readonly [Sample, Sample | null][], due: readonly Attachment[]): Attachment[] {
    const earlier = this.#quiet;
    this.#quiet = new Map();
    for (const [now, before] of pairs) {
      const { attachment } = now;
      // A fresh transform counts from 0: for two samples, what it opened can be less than the one before it had.
      const isQuiet = before !== null && now.passed <= before.passed && due.includes(attachment);
      if (isQuiet) this.#quiet.set(attachment, (earlier.get(attachment) ?? 0) + 1);
    }
    return due.filter((attachment) => (this.#quiet.get(attachment) ?? 0) >= PATIENCE);
  }
}
