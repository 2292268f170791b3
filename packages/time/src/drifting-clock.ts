import { type Milli, milli } from "./units.ts";

const WINDOW_MS = 1_000;

/**
 * How a clock that drifts stands to this thread's. Its readings come late, and never early, so the soonest of the last one to two
 * seconds counts.
 */
export class DriftingClock {
  readonly #stoodStillMs: number;
  #since = milli(Number.NEGATIVE_INFINITY);
  /** This clock less the other: the least of this window, and of this and the one before. */
  #current = Number.POSITIVE_INFINITY;
  #least = Number.POSITIVE_INFINITY;

  /** A reading that is later by more than `stoodStillMs`, in milliseconds, says that the other clock stood still: it counts at once. */
  constructor(stoodStillMs = Number.POSITIVE_INFINITY) {
    this.#stoodStillMs = stoodStillMs;
  }

  /** A reading in milliseconds, and when it is here. */
  add(theirs: number, now: Milli): void {
    const offset = now - theirs;
    if (offset - this.#least > this.#stoodStillMs) this.#current = this.#least = offset;
    if (now - this.#since > WINDOW_MS) {
      this.#least = this.#current;
      this.#current = offset;
      this.#since = now;
    }
    this.#current = Math.min(this.#current, offset);
    this.#least = Math.min(this.#least, offset);
  }

  /** When that is by this thread's clock. Only after `add`. */
  toOurs(theirs: number): Milli {
    return milli(theirs + this.#least);
  }

  /** Only after `add`. */
  toTheirs(now: Milli): number {
    return now - this.#least;
  }
}
