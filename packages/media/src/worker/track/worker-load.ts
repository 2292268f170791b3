import { Histogram } from "@sealcast/metrics";
import { type Clock, type Milli, milli, systemClock } from "@sealcast/time";
import type { WorkerTimings } from "../../shared/timings.ts";

/** Per-frame timing goes on for this long after it was asked for. */
const WATCHED = milli(5_000);

/** How busy a worker is. Costs two readings of the clock a frame. */
export class WorkerLoad {
  readonly #clock: Clock;
  readonly #began: Milli;
  readonly #waits = new Histogram();
  #working = 0;
  #since = milli(0);
  #busy = 0;
  #watchedUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#began = clock.now();
  }

  /** Work begins. Several works at once count as one. */
  begin(): void {
    if (this.#working++ === 0) this.#since = this.#clock.now();
  }

  end(): void {
    if (--this.#working === 0) this.#busy += this.#clock.now() - this.#since;
  }

  /** How long a frame waited for its work. */
  waited(wait: Milli): void {
    this.#waits.record(1_000 * wait);
  }

  /** Enables per-frame timing for a few seconds. */
  watch(): void {
    this.#watchedUntil = this.#clock.now() + WATCHED;
  }

  get isWatched(): boolean {
    return this.#clock.now() < this.#watchedUntil;
  }

  report(): Omit<WorkerTimings, "tracks"> {
    const now = this.#clock.now();
    const running = this.#working > 0 ? now - this.#since : 0;
    return { busy: this.#busy + running, lived: now - this.#began, waits: this.#waits.snapshot() };
  }
}
