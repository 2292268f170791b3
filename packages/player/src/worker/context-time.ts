import { type Milli, milli } from "@sealcast/time";

const WINDOW_MS = 5_000;
/** A context that stood still is later by as much from then on. */
const STOOD_STILL_MS = 250;

/** An audio context's time on this thread's clock: reports come late, never early, so the fastest of each few seconds counts. */
export class ContextTime {
  #since = milli(Number.NEGATIVE_INFINITY);
  /** This clock less the context's: the least of this window, and of this and the one before. */
  #current = Number.POSITIVE_INFINITY;
  #least = Number.POSITIVE_INFINITY;

  add(contextMs: number, now: Milli): void {
    const offset = now - contextMs;
    if (offset - this.#least > STOOD_STILL_MS) this.#current = this.#least = offset;
    if (now - this.#since > WINDOW_MS) {
      this.#least = this.#current;
      this.#current = offset;
      this.#since = now;
    }
    this.#current = Math.min(this.#current, offset);
    this.#least = Math.min(this.#least, offset);
  }

  /** On this thread's clock. Only after `add`. */
  toClock(contextMs: number): Milli {
    return milli(contextMs + this.#least);
  }

  toContext(now: Milli): number {
    return now - this.#least;
  }
}
