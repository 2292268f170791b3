import { type Figure, idOf } from "./figure.ts";
import type { Report } from "./report.ts";

/** Ten minutes at one step a second. */
const STEPS = 600;
/** A call of eight with screens has fewer. What comes on top is not recorded. */
const MOST_SERIES = 2_048;
const MOST_FACTS = 512;

/** Figures over the last ten minutes. Memory is fixed: 5 KB for each figure that ever came, 10 MB at most. */
export class Recording {
  readonly #times = new Float64Array(STEPS).fill(Number.NaN);
  readonly #series = new Map<string, Float64Array<ArrayBuffer>>();
  readonly #facts = new Map<string, string>();
  #at = -1;
  #steps = 0;

  /** Begins a step, at so many milliseconds from whenever recording began. */
  step(time: number): void {
    this.#at = (this.#at + 1) % STEPS;
    this.#steps = Math.min(this.#steps + 1, STEPS);
    this.#times[this.#at] = time;
    for (const values of this.#series.values()) values[this.#at] = Number.NaN;
  }

  /** What a figure is in this step. NaN: nothing is known. */
  note(figure: Figure, value: number): void {
    if (this.#at < 0) return;
    const id = idOf(figure);
    let values = this.#series.get(id);
    if (values === undefined) {
      if (Number.isNaN(value) || this.#series.size >= MOST_SERIES) return;
      values = new Float64Array(STEPS).fill(Number.NaN);
      this.#series.set(id, values);
    }
    values[this.#at] = value;
  }

  /** Says something in a word, such as a codec. The last one counts. */
  state(figure: Figure, word: string): void {
    const id = idOf(figure);
    if (this.#facts.has(id) || this.#facts.size < MOST_FACTS) this.#facts.set(id, word);
  }

  /** A copy, the oldest step first. `about` is said by the caller. */
  report(about: Pick<Report, "made" | "browser" | "cores">): Report {
    const order = Array.from({ length: this.#steps }, (_, step) => (this.#at + 1 + STEPS - this.#steps + step) % STEPS);
    const inOrder = (values: Float64Array) => Float64Array.from(order, (at) => values[at] ?? Number.NaN);
    const series = [...this.#series].map(([id, values]) => [id, inOrder(values)] as const);
    return { ...about, times: inOrder(this.#times), series: new Map(series), facts: new Map(this.#facts) };
  }
}
