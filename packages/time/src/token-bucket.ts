import type { Clock } from "./clock.ts";
import { type Milli, milli } from "./units.ts";

/** How many at once, and how many a second. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** How much of a rate is left to one client. It may be overdrawn, which says by how much a client exceeds it. */
export class TokenBucket {
  readonly #rate: Rate;
  readonly #clock: Clock;
  #left: number;
  #at: Milli;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#left = rate.burst;
    this.#at = clock.now();
  }

  /** What is left; below zero when it is overdrawn. */
  get left(): number {
    return this.#leftAt(this.#clock.now());
  }

  get isFull(): boolean {
    return this.left === this.#rate.burst;
  }

  /** Until it is not overdrawn; 0 where it is not. `now` is the clock's, where a caller has read it. */
  overdrawnFor(now = this.#clock.now()): Milli {
    return milli(Math.max(0, (-1000 * this.#leftAt(now)) / this.#rate.perSecond));
  }

  /** What is left after `count` more. */
  take(count = 1, now = this.#clock.now()): number {
    this.#left = this.#leftAt(now) - count;
    return this.#left;
  }

  /** Takes one, unless less than that is left. */
  tryTake(): boolean {
    const may = this.left >= 1;
    if (may) this.take();
    return may;
  }

  #leftAt(now: Milli): number {
    this.#left = Math.min(this.#rate.burst, this.#left + ((now - this.#at) / 1000) * this.#rate.perSecond);
    this.#at = now;
    return this.#left;
  }
}
