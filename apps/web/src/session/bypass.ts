import type { Sample } from "./proof.ts";

/** Samples in a row. What waits in a jitter buffer when the last frame has passed is decoded within less than one. */
const PATIENCE = 2;

/**
 * Finds media that goes past a transform from the moment on when nothing passes it: totals do not tell that for a while,
 * since frames that passed and were never decoded have made room for others.
 */
export class Bypass {
  readonly #tracks = new Map<string, { last: Sample; samples: number; since: number }>();

  /** How much the browser has counted since nothing passes, in the unit of its `after`. 0: nothing, or not long enough. */
  examine(now: Sample): number {
    const { after } = now.counted;
    const known = this.#tracks.get(now.attachment.id);
    // A worker that does not answer is busy or dead: its silence is another matter.
    if (now.report === null || after === null) return 0;
    const isCompared = known !== undefined && known.last.renewals === now.renewals;
    const goesPast =
      isCompared && throughOf(now) === throughOf(known.last) && after > (known.last.counted.after ?? after);
    const samples = goesPast ? known.samples + 1 : 0;
    const since = goesPast ? known.since : after;
    this.#tracks.set(now.attachment.id, { last: now, samples, since });
    return samples >= PATIENCE ? after - since : 0;
  }
}

/** What came to the transform, in the unit of the browser's `after`. */
export function throughOf({ direction, line, report, passed, refused }: Sample): number {
  if (direction === "received") return passed;
  return line.kind === "audio" ? (report?.bytes ?? 0) : passed + refused;
}
