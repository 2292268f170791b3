import type { Clock } from "@sealcast/time";
import type { EffectCost } from "../shared/messages.ts";

/** Counts what an effect takes. */
export class Meter {
  readonly #clock: Clock;
  #since: number;
  #times: number[] = [];
  #delays: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** One frame: milliseconds that it took of this thread, and milliseconds from when it came in until it went out. */
  count(ms: number, delayMs: number): void {
    this.#times.push(ms);
    this.#delays.push(delayMs);
  }

  /** Since the last time that this was asked; null: nothing came. */
  take(): EffectCost | null {
    const [times, delays] = [this.#times, this.#delays];
    const now = this.#clock.now();
    const seconds = Math.max(now - this.#since, 1) / 1_000;
    this.#since = now;
    this.#times = [];
    this.#delays = [];
    if (times.length === 0) return null;
    const busyMs = times.reduce((sum, ms) => sum + ms, 0);
    return {
      msPerFrame: median(times),
      share: Math.min(1, busyMs / (1_000 * seconds)),
      delayMs: median(delays),
      framesPerSecond: times.length / seconds,
    };
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
