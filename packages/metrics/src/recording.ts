import { type Figure, idOf } from "./figure.ts";
import type { Report } from "./report.ts";

/** Ten minutes at one step a second. */
const STEPS = 600;
/** A call of eight with screens has fewer. What comes on top is not recorded. */
const MOST_SERIES = 2_048;
const MOST_FACTS = 512;

/** What can be shown of a recording, live or read back. */
export interface Figures {
  /** Milliseconds from the beginning, the oldest step first. */
  readonly times: Float64Array;
  /** Ids of all figures. */
  readonly ids: readonly string[];
  /** A value for each step, NaN where there is none; null: there is no such figure. */
  of(id: string): Float64Array | null;
  /** In the last step that has one within the last five; NaN where none has. */
  last(id: string): number;
  fact(id: string): string | null;
}

/** Steps over which a value counts as the latest: not everything comes every second. */
const LATEST = 5;

export function figuresOf({ times, series, facts }: Report): Figures {
  return {
    times,
    ids: [...series.keys()],
    of: (id) => series.get(id) ?? null,
    last: (id) => [...(series.get(id)?.slice(-LATEST) ?? [])].findLast(Number.isFinite) ?? Number.NaN,
    fact: (id) => facts.get(id) ?? null,
  };
}

/** Figures over the last ten minutes. Memory is fixed: 5 KB for each figure that ever came, 10 MB at most. */
export class Recording implements Figures {
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

  get times(): Float64Array {
    return this.#inOrder(this.#times);
  }

  get ids(): readonly string[] {
    return [...this.#series.keys()];
  }

  of(id: string): Float64Array | null {
    const values = this.#series.get(id);
    return values === undefined ? null : this.#inOrder(values);
  }

  last(id: string): number {
    const values = this.#series.get(id);
    for (let back = 0; back < Math.min(LATEST, this.#steps); back++) {
      const value = values?.[(this.#at - back + STEPS) % STEPS];
      if (value !== undefined && Number.isFinite(value)) return value;
    }
    return Number.NaN;
  }

  fact(id: string): string | null {
    return this.#facts.get(id) ?? null;
  }

  /** A copy, the oldest step first. `about` is said by the caller. */
  report(about: Pick<Report, "made" | "browser" | "cores">): Report {
    const series = [...this.#series].map(([id, values]) => [id, this.#inOrder(values)] as const);
    return { ...about, times: this.times, series: new Map(series), facts: new Map(this.#facts) };
  }

  #inOrder(values: Float64Array): Float64Array {
    const oldest = this.#at + 1 + STEPS - this.#steps;
    return Float64Array.from({ length: this.#steps }, (_, step) => values[(oldest + step) % STEPS] ?? Number.NaN);
  }
}
