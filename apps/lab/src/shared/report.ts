import { catalogue, described } from "./catalogue.ts";
import { figureKey, type PaperName, type PaperTable, paperList, papers } from "./papers.ts";
import type { Machine, ResultsFile } from "./results.ts";

/** What people read of results files: a paper's tables beside ours, CSV, docs/results/README.md, and figures in README.md. */

/** A paper's figure and one of ours. */
export interface ComparedFigure {
  readonly table: PaperTable;
  readonly row: string;
  readonly column: string;
  readonly unit: string;
  readonly paper: number | null;
  /** Null: nothing of ours was measured beside it. */
  readonly ours: ResultsFile["ours"][number] | null;
  /** Ours divided by the paper's. */
  readonly ratio: number | null;
  readonly note: string;
}

/** Every figure of a paper, once for each of ours beside it. */
export function compared(paper: PaperName, files: readonly ResultsFile[]): ComparedFigure[] {
  const ours = files.flatMap((file) => file.ours);
  const tables: readonly PaperTable[] = papers[paper].tables;
  return tables.flatMap((table) =>
    table.rows.flatMap((row) =>
      table.columns.flatMap((column, i): ComparedFigure[] => {
        const key = figureKey(table.name, row.name, column);
        const of = { table, row: row.name, column, unit: table.units[i] ?? "", note: row.note ?? "" };
        const value = row.values[i] ?? null;
        const beside = ours.filter(({ figure }) => figure === key);
        if (beside.length === 0) return [{ ...of, paper: value, ours: null, ratio: null }];
        return beside.map((one) => ({ ...of, paper: value, ours: one, ratio: ratioOf(one.value, value) }));
      }),
    ),
  );
}

function ratioOf(ours: number | null, paper: number | null): number | null {
  return ours === null || paper === null ? null : Number((ours / paper).toPrecision(3));
}

/** Rows as text with commas, as spreadsheets read it. */
export function csv({ rows }: Pick<ResultsFile, "rows">): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => String(row[name] ?? "")))];
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

/** As people read it. "–" where there is none. */
export function written(value: number | string | null): string {
  if (typeof value !== "number") return value ?? "–";
  return value.toLocaleString("en", { maximumSignificantDigits: 6 });
}

/** Least and most, where there was more than one run. */
export function writtenSpread(spread: { least: number | null; most: number | null }, runs: number): string {
  return runs === 1 ? "one run" : `${written(spread.least)} to ${written(spread.most)}`;
}

export function writtenMachine({ cpu, cores, memoryGB, system, browser, node }: Machine): string {
  const memory = memoryGB === null ? "" : `${written(memoryGB)} GB`;
  return [cpu ?? "CPU not known", `${cores} cores`, memory, system, browser, node && `Node ${node}`]
    .filter((part) => part !== null && part !== "")
    .join(", ");
}

/** What `docs/results` holds of a paper's table: the name of its plot. */
export function plotOf(name: string): string {
  return `${name}.svg`;
}

/** Tables of a paper with a figure of ours. */
export function plotted(all: readonly ComparedFigure[]): PaperTable[] {
  return [...new Set(all.filter(({ ours }) => ours !== null).map(({ table }) => table))];
}

/** The plots in `docs/results`. */
export function plotNames(files: readonly ResultsFile[]): string[] {
  const measured = files.filter((file) => file.measured.length > 0).map(({ experiment }) => experiment);
  const tables = paperList.flatMap(([name]) => plotted(compared(name, files)).map((table) => table.name));
  return [...measured, ...tables].map(plotOf);
}

/** All of docs/results/README.md. Files in any order. */
export function resultsPage(files: readonly ResultsFile[]): string {
  const byName = new Map(files.map((file) => [file.experiment, file]));
  const known = catalogue.flatMap(({ name }) => byName.get(name) ?? []);
  const missing = catalogue.filter(({ name }) => !byName.has(name)).map(({ name }) => `\`${name}\``);
  const parts = [
    "# Results",
    "",
    "`npm run lab -- all` measures all of this and writes this page, its plots and the JSON files beside it; `npm run lab -- NAME --record`",
    "does so for one experiment. Nothing here is written by hand: `npm run check` compares this page with the JSON files.",
    "Each experiment shows when, on which machine and at which load its figures were measured. Quick ones are rough.",
    "",
    "## Runs",
    "",
    ...runsTable(known),
    ...(missing.length > 0 ? ["", `Not measured yet: ${missing.join(", ")}.`] : []),
    "",
    "## The papers’ figures beside ours",
    "",
    "A ratio is ours divided by the paper’s: of times, less than 1 is faster; of rates, more than 1 is. The machines are not the",
    "same, so it says how far one is from the other, not which method is better. DES, RC4, Blowfish and ECB are broken: they are",
    "the papers’ comparators, and the product has none of them.",
    ...paperList.flatMap(([name]) => paperPart(name, known)),
    "",
    "## Every experiment’s summary",
    ...known.flatMap(experimentPart),
  ];
  return `${parts.join("\n")}\n`;
}

function runsTable(files: readonly ResultsFile[]): string[] {
  return markdown(
    ["experiment", "date", "commit", "runs", "seconds", "load", "machine"],
    files.map(({ experiment, date, commit, runs, quick, seconds, machine }) => [
      `[${experiment}](${experiment}.json)`,
      date.slice(0, 10),
      commit ?? "–",
      `${runs}${quick ? ", quick" : ""}`,
      written(seconds),
      written(machine.load),
      writtenMachine(machine),
    ]),
  );
}

function paperPart(name: PaperName, files: readonly ResultsFile[]): string[] {
  const { title, authors, machine, does } = papers[name];
  const all = compared(name, files);
  const runs = files.find(({ ours }) => ours.some((one) => all.some((other) => other.ours === one)))?.runs ?? 1;
  const rows = all.map(({ table, row, column, unit, paper, ours, ratio, note }) => [
    `${table.title}: ${row}, ${column}`,
    unit,
    written(paper),
    written(ours?.value ?? null),
    ours === null ? note || "not measured" : ours.arm,
    ours === null ? "–" : writtenSpread(ours, runs),
    written(ratio),
  ]);
  const tables: readonly PaperTable[] = papers[name].tables;
  const notes = tables.flatMap(({ title, note }) => (note === undefined ? [] : [`- ${title}: ${note}`]));
  return [
    ...["", `### ${title}`, "", `${authors}. ${does} Measured on: ${machine}.`, ""],
    ...markdown(["figure", "unit", "paper", "ours", "ours is", "spread", "ratio"], rows),
    ...(notes.length > 0 ? ["", ...notes] : []),
    ...plotted(all).flatMap((table) => ["", `![${table.title}](${plotOf(table.name)})`]),
  ];
}

function experimentPart({ experiment, summary, spread, runs, measured }: ResultsFile): string[] {
  const { title = "", measures = "" } = described(experiment) ?? {};
  const rows = Object.entries(summary).map(([key, value]) => {
    const of = spread[key];
    return [key, written(value), of === undefined ? "–" : writtenSpread(of, runs)];
  });
  const plot = measured.length > 0 ? ["", `![${title}](${plotOf(experiment)})`] : [];
  return [
    "",
    `### ${title}: \`${experiment}\``,
    "",
    `${measures}.`,
    "",
    ...markdown(["", "figure", "spread"], rows),
    ...plot,
  ];
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

/**
 * A figure with a unit of time, rate or percent in README.md, and the mark behind it: `49 ms<!-- vault.seekP50Ms -->` is
 * measured, `30 s<!-- set -->` is not.
 */
const MARKED =
  /(\d[\d.,]*)( ?(?:ms|µs|s|min|h|%|[kMG]bit\/s|[KM]i?B\/s|fps|seconds?|minutes?|hours?|(?:[a-z]+ )?(?:a|per) second)(?![\w]))(?:<!-- (?:(set)|([\w-]+)\.(\w+)) -->)?/g;

/** README.md with each marked figure as it stands in its results file, and what is wrong with its marks. */
export function filled(readme: string, files: readonly ResultsFile[]): { text: string; problems: string[] } {
  const problems: string[] = [];
  const text = readme.replace(
    MARKED,
    (all: string, value: string, unit: string, set?: string, file?: string, key?: string) => {
      if (set !== undefined) return all;
      const shown = `"${value}${unit}" in README.md`;
      if (file === undefined || key === undefined) {
        problems.push(
          `${shown} has no mark: put <!-- EXPERIMENT.KEY --> behind it, or <!-- set --> where it was not measured.`,
        );
        return all;
      }
      const measured = files.find(({ experiment }) => experiment === file)?.summary[key];
      if (typeof measured !== "number") {
        problems.push(`${shown} is said to be ${key} of docs/results/${file}.json, which has no such number.`);
        return all;
      }
      return `${written(measured)}${unit}<!-- ${file}.${key} -->`;
    },
  );
  return { text, problems };
}
