import { Histogram } from "@sealcast/metrics";
import type { WorkerTimings } from "../../shared/timings.ts";

/** Per-frame timing goes on for this long after it was asked for. */
const WATCHED_MS = 5_000;

/** How busy a worker is. Costs two readings of the clock a frame. */
export class WorkerLoad {
  readonly #now: () => number;
  readonly #began: number;
  readonly #waits = new Histogram();
  #working = 0;
  #since = 0;
  #busy = 0;
  #watchedUntil = Number.NEGATIVE_INFINITY;

  /** `now`: milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#began = now();
  }

  /** Work begins. Several works at once count as one. */
  begin(): void {
    if (this.#working++ === 0) this.#since = this.#now();
  }

  end(): void {
    if (--this.#working === 0) this.#busy += this.#now() - this.#since;
  }

  /** A frame waited this many milliseconds for its work. */
  waited(ms: number): void {
    this.#waits.record(1_000 * ms);
  }

  /** Enables per-frame timing for a few seconds. */
  watch(): void {
    this.#watchedUntil = this.#now() + WATCHED_MS;
  }

  get isWatched(): boolean {
    return this.#now() < this.#watchedUntil;
  }

  report(): Omit<WorkerTimings, "tracks"> {
    const now = this.#now();
    const running = this.#working > 0 ? now - this.#since : 0;
    return { busy: this.#busy + running, lived: now - this.#began, waits: this.#waits.snapshot() };
  }
}
