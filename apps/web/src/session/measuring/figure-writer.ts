import {
  FigureHistory,
  type HistogramSnapshot,
  type Region,
  RollingWindow,
  type Spread,
  type Statistic,
} from "@sealcast/metrics";
import { milli } from "@sealcast/time";
import { Totals } from "./stats.ts";

/** One step of the recording. */
export const EVERY = milli(1_000);
/** Steps that quantiles and means are over. */
const WINDOW = 5;

/** A track's name in figures' ids. */
export type Subject = `${"sent" | "received"}:${string}:${number}`;

/** Writes what was counted into the recording: totals as what they grew by over the last steps. Memory is fixed but for names, see `forget`. */
export class FigureWriter {
  readonly recording = new FigureHistory();
  readonly #windows = new Map<string, RollingWindow>();
  readonly #totals = new Totals(WINDOW);
  /** When the browser had counted what is noted now, by the clock. */
  counted = Number.NaN;

  /** Of what will not come again. */
  forget(isOver: (name: string) => boolean): void {
    this.#totals.forget(isOver);
    for (const name of this.#windows.keys()) if (isOver(name)) this.#windows.delete(name);
  }

  note(region: Region, subject: string, name: string, value: number, statistic: Statistic = "value"): void {
    this.recording.note({ region, subject, name, statistic }, value);
  }

  state(region: Region, subject: string, name: string, word: string): void {
    this.recording.state({ region, subject, name, statistic: "value" }, word);
  }

  /** A stage's times, frame by frame. */
  spread(subject: Subject, name: string, spread: Spread): void {
    if (spread.count > 0) this.state("latency", subject, name, "frame");
    for (const statistic of ["mean", "p50", "p95", "p99"] as const)
      this.note("latency", subject, name, spread[statistic], statistic);
  }

  /** The same where only the mean is known. */
  mean(subject: Subject, name: string, value: number): void {
    if (Number.isFinite(value)) this.state("latency", subject, name, "mean");
    this.note("latency", subject, name, value, "mean");
  }

  /** As `Totals.grew`: once a step for each name, and so for all that follow. */
  grew(name: string, total: number | undefined): number {
    return this.#totals.grew(name, total);
  }

  perSecond(name: string, total: number): number {
    return this.grew(name, total) / (WINDOW * (EVERY / 1_000));
  }

  /** Bits per second, by when the browser had counted them. */
  rate(name: string, bytes: number | undefined): number {
    return (8 * this.grew(name, bytes)) / this.grew(`${name} time`, this.counted / 1_000);
  }

  /** Milliseconds each. */
  ratio(name: string, seconds: number | undefined, count: number | undefined): number {
    const [grew, by] = [this.grew(`${name} time`, seconds), this.grew(`${name} count`, count)];
    return by > 0 ? (1_000 * grew) / by : Number.NaN;
  }

  rolled(name: string, snapshot: HistogramSnapshot): Spread {
    const window = this.#windows.get(name) ?? new RollingWindow(WINDOW + 1);
    this.#windows.set(name, window);
    return window.push(snapshot);
  }
}
