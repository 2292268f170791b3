import { type Clock, type Milli, milli } from "@sealcast/time";
import type { MediaWorker } from "./media-worker.ts";

/** A worker does nothing that takes a fraction of this. */
const PATIENCE = milli(500);
/** A machine so busy that workers miss their time is not helped by starting more of them. */
const MOST_PATIENCE = milli(4_000);
/** A worker that lived this long did not fail while starting. */
const LONG_LIFE = milli(5_000);

/** Starts a worker that may stay silent for `patience`, and calls `dead` once when it did for longer. */
export type Start = (patience: Milli, dead: () => void) => MediaWorker;

/** A place in the pool. It always has a worker: another one takes the place of one that dies or hangs. Owns its worker. */
export class Slot {
  /** Of the tracks that are here. */
  load = 0;
  readonly #start: Start;
  readonly #clock: Clock;
  readonly #replaced: (slot: Slot) => void;
  #patience = PATIENCE;
  #worker: MediaWorker;
  #since: Milli;

  /** `replaced` is called when another worker is here, which has sealed nothing and knows nothing but the counters it may not use again. */
  constructor(start: Start, clock: Clock, replaced: (slot: Slot) => void) {
    this.#start = start;
    this.#clock = clock;
    this.#replaced = replaced;
    this.#since = clock.now();
    this.#worker = this.#next();
  }

  /** Another one after each time that `replaced` is called. */
  get worker(): MediaWorker {
    return this.#worker;
  }

  #next(): MediaWorker {
    return this.#start(this.#patience, () => this.#replace());
  }

  #replace(): void {
    const { counters } = this.#worker;
    this.#worker.close();
    const lived = this.#clock.now() - this.#since;
    this.#patience = lived > LONG_LIFE ? PATIENCE : milli(Math.min(2 * this.#patience, MOST_PATIENCE));
    this.#since = this.#clock.now();
    this.#worker = this.#next();
    this.#worker.refuseUpTo(counters);
    this.#replaced(this);
  }
}
