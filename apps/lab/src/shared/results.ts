import * as v from "valibot";
import { catalogue } from "./catalogue.ts";
import { isFigure } from "./papers.ts";
import { quantile } from "./statistics.ts";

/** What an experiment gives, and the file that is kept of it. */

/** One row of an experiment's table. */
export type Row = Readonly<Record<string, string | number | null>>;

export interface Results {
  readonly rows: readonly Row[];
  readonly summary: Readonly<Record<string, number | string>>;
  /** Our figures for those of a paper. */
  readonly ours?: readonly OurFigure[];
  /** What is to be looked at: a PNG in Base64. */
  readonly picture?: string;
}

/** What we measured of the same work. */
export interface OurFigure {
  /** The paper's figure, as `figureKey` names it. */
  readonly figure: string;
  /** What of ours it was measured of. */
  readonly arm: string;
  readonly value: number;
}

const MOST_BYTES = 4_000_000;
const figure = v.nullable(v.number());
const Spread = v.strictObject({ least: figure, most: figure });

const Machine = v.strictObject({
  /** Null: a page cannot know it. */
  cpu: v.nullable(v.string()),
  cores: v.number(),
  memoryGB: figure,
  system: v.string(),
  browser: v.nullable(v.string()),
  node: v.nullable(v.string()),
  /** Of the browser, as it was started. */
  flags: v.array(v.string()),
  /** Processes that wanted a core when the experiment began, a minute's mean; null: a page cannot know it. */
  load: figure,
});

const File = v.strictObject({
  experiment: v.picklist(catalogue.map(({ name }) => name)),
  /** ISO 8601, when it began. */
  date: v.string(),
  /** Null: not known. A "+" at its end: with changes. */
  commit: v.nullable(v.string()),
  quick: v.boolean(),
  /** Figures are medians of this many runs. */
  runs: v.number(),
  seconds: v.number(),
  machine: Machine,
  summary: v.record(v.string(), v.union([v.string(), figure])),
  /** Of each number in the summary, over all runs. */
  spread: v.record(v.string(), Spread),
  ours: v.array(v.strictObject({ figure: v.string(), arm: v.string(), value: figure, ...Spread.entries })),
  /** Single values of each arm, in the unit that the catalogue names. */
  measured: v.array(v.strictObject({ arm: v.string(), values: v.array(figure) })),
  rows: v.array(v.record(v.string(), v.union([v.string(), figure]))),
});

export type ResultsFile = v.InferOutput<typeof File>;
export type Machine = v.InferOutput<typeof Machine>;

/** Throws what is wrong with a file's text, by its name. */
export function parseResults(text: string, name: string): ResultsFile {
  if (text.length > MOST_BYTES) throw new Error(`${name} has more than ${MOST_BYTES} characters.`);
  const parsed = v.safeParse(File, JSON.parse(text));
  if (parsed.success) return parsed.output;
  const [{ path, message }] = parsed.issues;
  const at = (path ?? []).map(({ key }) => String(key)).join(".");
  throw new Error(`${name} is no results file: ${at} ${message}. Measure it again: npm run lab -- NAME --record.`);
}

export function writeResults(file: ResultsFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** What is known of some runs besides their results. */
export type Circumstances = Pick<ResultsFile, "experiment" | "date" | "commit" | "quick" | "seconds" | "machine">;

/** Values that were handed on while an experiment ran. */
export class MeasuredValues {
  readonly #arms = new Map<string, number[]>();

  add(arm: string, value: number): void {
    const values = this.#arms.get(arm) ?? [];
    this.#arms.set(arm, values);
    values.push(value);
  }

  get arms(): ResultsFile["measured"] {
    return [...this.#arms].map(([arm, values]) => ({ arm, values: values.map(finite) }));
  }
}

/** One file of all runs. Where runs gave other rows than the first, as many arms as a machine has, its rows stand. */
export function joined(of: Circumstances, runs: readonly Results[], measured: MeasuredValues): ResultsFile {
  const [first] = runs;
  if (first === undefined) throw new Error("there was no run");
  const names = Object.keys(first.summary);
  const numbers = names.filter((name) => typeof first.summary[name] === "number");
  const each = (name: string) => runs.map(({ summary }) => Number(summary[name]));
  return {
    ...of,
    runs: runs.length,
    summary: Object.fromEntries(
      names.map((name) => [name, numbers.includes(name) ? median(each(name)) : String(first.summary[name])]),
    ),
    spread: Object.fromEntries(numbers.map((name) => [name, spread(each(name))])),
    ours: (first.ours ?? []).map((one) => joinedFigure(one, runs)),
    measured: measured.arms,
    rows: first.rows.map((row, at) => joinedRow(row, runs, at)),
  };
}

function joinedFigure({ figure, arm, value }: OurFigure, runs: readonly Results[]): ResultsFile["ours"][number] {
  if (!isFigure(figure)) throw new Error(`no paper's table has ${figure}`);
  const values = runs.map(
    ({ ours = [] }) => ours.find((other) => other.figure === figure && other.arm === arm)?.value ?? value,
  );
  return { figure, arm, value: median(values), ...spread(values) };
}

function joinedRow(row: Row, runs: readonly Results[], at: number): Record<string, string | number | null> {
  const alike = runs.every(({ rows }) => rows.length === runs[0]?.rows.length);
  const joined = Object.entries(row).map(([name, value]): [string, string | number | null] => {
    if (typeof value !== "number") return [name, value];
    return [name, alike ? median(runs.map(({ rows }) => Number(rows[at]?.[name]))) : finite(value)];
  });
  return Object.fromEntries(joined);
}

function median(values: readonly number[]): number | null {
  return finite(quantile(values, 0.5));
}

function spread(values: readonly number[]): { least: number | null; most: number | null } {
  return { least: finite(Math.min(...values)), most: finite(Math.max(...values)) };
}

/** Null: it could not be measured here. Six digits tell as much as any measurement does. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : null;
}
