import { type Figure, figureOf, idOf } from "./figure.ts";
import type { Report } from "./report.ts";

/** Ten minutes at one step a second. */
const STEPS = 600;
/** A call of eight with screens has fewer. What comes on top is not recorded. */
const MOST_SERIES = 2_048;
const MOST_FACTS = 512;
/** Between two values that lie further apart nothing is known, and no line is drawn. */
export const GAP_MS = 5_000;

/** What can be shown of a recording, live or read back. */
export interface Figures {
  /** Milliseconds from the beginning, the oldest step first. */
  readonly times: Float64Array;
  /** Whatever there are values of, in the order of its coming. */
  readonly known: readonly Figure[];
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
    known: [...series.keys()].flatMap((id) => figureOf(id) ?? []),
    of: (id) => series.get(id) ?? null,
    last: (id) => [...(series.get(id)?.slice(-LATEST) ?? [])].findLast(Number.isFinite) ?? Number.NaN,
    fact: (id) => facts.get(id) ?? null,
  };
}

/** What is known of a figure, and how many steps had begun when something was last said of it. */
interface Kept<T> {
  of: T;
  said: number;
}

interface Series extends Kept<Float64Array<ArrayBuffer>> {
  readonly figure: Figure;
}

/**
 * Figures over the last ten minutes. Memory is fixed: 5 KB for each figure that came in them, 10 MB at most. What nothing
 * was said of for this long, as of someone who left, is forgotten.
 */
export class FigureHistory implements Figures {
  readonly #times = new Float64Array(STEPS).fill(Number.NaN);
  readonly #series = new Map<string, Series>();
  readonly #facts = new Map<string, Kept<string>>();
  #begun = 0;

  /** Begins a step, at this many milliseconds from when recording began. After a gap, an empty one comes before it. */
  step(time: number): void {
    if (time - (this.#times[this.#at] ?? time) > GAP_MS) this.#begin(time - 1);
    this.#begin(time);
  }

  #begin(time: number): void {
    this.#begun++;
    this.#times[this.#at] = time;
    for (const kept of [this.#series, this.#facts])
      for (const [id, { said }] of kept) if (this.#begun - said >= STEPS) kept.delete(id);
    const at = this.#at;
    for (const { of } of this.#series.values()) of[at] = Number.NaN;
  }

  /** What a figure is in this step. NaN: nothing is known. */
  note(figure: Figure, value: number): void {
    if (this.#begun === 0 || Number.isNaN(value)) return;
    const id = idOf(figure);
    const kept = this.#series.get(id) ?? { figure, of: new Float64Array(STEPS).fill(Number.NaN), said: 0 };
    if (kept.said === 0 && this.#series.size >= MOST_SERIES) return;
    this.#series.set(id, kept);
    kept.of[this.#at] = value;
    kept.said = this.#begun;
  }

  /** Says something in a word, such as a codec. The last one counts. */
  state(figure: Figure, word: string): void {
    const id = idOf(figure);
    if (this.#facts.has(id) || this.#facts.size < MOST_FACTS) this.#facts.set(id, { of: word, said: this.#begun });
  }

  get times(): Float64Array {
    return this.#inOrder(this.#times);
  }

  get known(): readonly Figure[] {
    return [...this.#series.values()].map(({ figure }) => figure);
  }

  of(id: string): Float64Array | null {
    const values = this.#series.get(id)?.of;
    return values === undefined ? null : this.#inOrder(values);
  }

  last(id: string): number {
    const values = this.#series.get(id)?.of;
    for (let back = 0; back < Math.min(LATEST, this.#steps); back++) {
      const value = values?.[(this.#at - back + STEPS) % STEPS];
      if (value !== undefined && Number.isFinite(value)) return value;
    }
    return Number.NaN;
  }

  fact(id: string): string | null {
    return this.#facts.get(id)?.of ?? null;
  }

  /** A copy, the oldest step first. `about` is said by the caller. */
  report(about: Pick<Report, "made" | "browser" | "cores">): Report {
    const series = [...this.#series].map(([id, { of }]) => [id, this.#inOrder(of)] as const);
    const facts = [...this.#facts].map(([id, { of }]) => [id, of] as const);
    return { ...about, times: this.times, series: new Map(series), facts: new Map(facts) };
  }

  /** Where the present step's values stand. */
  get #at(): number {
    return (this.#begun + STEPS - 1) % STEPS;
  }

  get #steps(): number {
    return Math.min(this.#begun, STEPS);
  }

  #inOrder(values: Float64Array): Float64Array {
    const oldest = (this.#at + 1 + STEPS - this.#steps) % STEPS;
    const [until, since] = [values.subarray(0, oldest), values.subarray(oldest, oldest + this.#steps)];
    const ordered = new Float64Array(this.#steps);
    ordered.set(since);
    ordered.set(until, since.length);
    return ordered;
  }
}
