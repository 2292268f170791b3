import type { Attachment } from "@sealcast/media";
import type { Sample } from "./browser-counters.ts";

/** Samples in a row in which nothing passed. */
const PATIENCE = 2;

interface Track {
  readonly last: Sample;
  /** In a row: the browser counted something, and nothing passed. */
  readonly samples: number;
  /** What it had counted before those. */
  readonly since: number;
  /** At most so much of what passed before those may still wait to be decoded: what passed last, and what waited then. */
  readonly waiting: number;
}

/**
 * Finds media that goes past a transform from the moment on when nothing passes it: totals do not tell that for a while,
 * since frames that passed and were never decoded have made room for others.
 */
export class BypassDetector {
  readonly #tracks = new WeakMap<Attachment, Track>();

  /** How much the browser has counted since nothing passes, in the unit of its `after`. 0: nothing, or not long enough. */
  examine(now: Sample): number {
    const { after } = now.counted;
    // A worker that does not answer is busy, or dead and about to be replaced. Neither lets a frame by.
    if (now.report === null || after === null) return 0;
    const { attachment } = now;
    const known = this.#tracks.get(attachment);
    if (known?.last.renewals !== now.renewals) {
      this.#tracks.set(attachment, { last: now, samples: 0, since: after, waiting: 0 });
      return 0;
    }
    const passed = throughOf(now) - throughOf(known.last);
    const goesPast = passed === 0 && after > (known.last.counted.after ?? after);
    const [samples, since] = goesPast ? [known.samples + 1, known.since] : [0, after];
    const waiting = goesPast ? known.waiting : passed + now.counted.waiting;
    this.#tracks.set(attachment, { last: now, samples, since, waiting });
    return samples >= PATIENCE && after - since > waiting ? after - since : 0;
  }
}

/** What came to the transform, or of frames received what left it, in the unit of the browser's `after`. */
export function throughOf({ direction, line, report, passed }: Sample): number {
  if (direction === "received") return passed;
  return (line.kind === "audio" ? report?.bytes : report?.came) ?? 0;
}
