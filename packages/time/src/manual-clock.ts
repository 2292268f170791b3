import type { Cancel, Clock } from "./clock.ts";
import { type Milli, milli } from "./units.ts";

interface Timer {
  readonly due: Milli;
  readonly fn: () => void;
}

/** A clock for tests: time stands still until `advance` moves it. */
export class ManualClock implements Clock {
  #now = milli(0);
  readonly #timers = new Set<Timer>();

  now(): Milli {
    return this.#now;
  }

  after(delay: Milli, fn: () => void): Cancel {
    const timer = { due: milli(this.#now + Math.max(0, delay)), fn };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /**
   * Runs what falls due meanwhile, in order of time, then of creation; timers set meanwhile run too if they fall due.
   * @returns whether any timer ran
   */
  advance(by: Milli): boolean {
    const end = milli(this.#now + by);
    let ran = false;
    for (let next = this.#earliest(end); next; next = this.#earliest(end)) {
      this.#timers.delete(next);
      this.#now = next.due;
      next.fn();
      ran = true;
    }
    this.#now = end;
    return ran;
  }

  #earliest(end: Milli): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.due <= end && (!earliest || timer.due < earliest.due)) earliest = timer;
    }
    return earliest;
  }
}
