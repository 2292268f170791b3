import { type Clock, type Milli, milli } from "@sealcast/time";

/** How much of this person's video an overloaded computer gives up: none, some of its size and rate, most of it, all. */
export type OverloadStep = 0 | 1 | 2 | 3;

const DOWN = { 0: 1, 1: 2, 2: 3, 3: 3 } as const;
const UP = { 0: 0, 1: 0, 2: 1, 3: 2 } as const;
/** A step has to have time to help before the next one. */
const DOWN_GAP = milli(5_000);
/** Well for so long, and a step is taken back; after one that was taken back too early, for twice as long. */
const UP_AFTER = milli(15_000);
const LONGEST_UP = milli(120_000);

/** Which step an overloaded computer is at: down while it is, and up again once it has been well for a while. */
export class OverloadSteps {
  readonly #clock: Clock;
  #step: OverloadStep = 0;
  #changed = milli(Number.NEGATIVE_INFINITY);
  #busyAt = milli(Number.NEGATIVE_INFINITY);
  #upAfter = UP_AFTER;
  #rose = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called some times a second. */
  examine(isOverloaded: boolean): OverloadStep {
    const now = this.#clock.now();
    if (isOverloaded) this.#down(now);
    else if (this.#step > 0 && now - Math.max(this.#busyAt, this.#changed) >= this.#upAfter) this.#up(now);
    return this.#step;
  }

  #down(now: Milli): void {
    this.#busyAt = now;
    if (this.#step === 3 || now - this.#changed < DOWN_GAP) return;
    const isTooEarly = this.#rose && now - this.#changed < LONGEST_UP;
    this.#upAfter = isTooEarly ? milli(Math.min(2 * this.#upAfter, LONGEST_UP)) : UP_AFTER;
    this.#rose = false;
    this.#step = DOWN[this.#step];
    this.#changed = now;
  }

  #up(now: Milli): void {
    this.#rose = true;
    this.#step = UP[this.#step];
    this.#changed = now;
  }
}
