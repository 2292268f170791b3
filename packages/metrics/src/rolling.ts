import { Histogram, type HistogramSnapshot } from "./histogram.ts";

/** What a window's times say, in milliseconds; NaN where there was none. */
export interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** The last steps of a histogram that only grows, such as a worker's. Memory is fixed. */
export class RollingWindow {
  readonly #steps: (HistogramSnapshot | null)[];
  readonly #of = new Histogram();
  #next = 0;

  constructor(steps: number) {
    this.#steps = Array.from({ length: steps }, () => null);
  }

  /** Takes the histogram as it is now, once a step. One that counts less than before has started again. */
  push(now: HistogramSnapshot): Spread {
    const last = this.#steps[(this.#next || this.#steps.length) - 1] ?? null;
    if (last !== null && now.some((count, bucket) => count < (last[bucket] ?? 0))) this.#steps.fill(null);
    const oldest = this.#steps[this.#next] ?? this.#steps.find((step) => step !== null) ?? null;
    this.#steps[this.#next] = now;
    this.#next = (this.#next + 1) % this.#steps.length;
    this.#of.reset();
    this.#of.merge(oldest === null ? now : now.map((count, bucket) => count - (oldest[bucket] ?? 0)));
    return spreadOf(this.#of);
  }
}

/** A histogram of microseconds in milliseconds. */
export function spreadOf(histogram: Histogram): Spread {
  const quantile = (q: number) => histogram.quantile(q) / 1_000;
  return {
    count: histogram.count,
    mean: histogram.mean / 1_000,
    p50: quantile(0.5),
    p95: quantile(0.95),
    p99: quantile(0.99),
  };
}
