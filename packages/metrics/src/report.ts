/** What was measured over a while. There are no names, addresses or keys in it: people are numbers. */
export interface Report {
  /** When it was made, as an ISO date; empty where the file does not say. */
  readonly made: string;
  /** What the browser calls itself, and how many cores it sees; 0 where unknown. */
  readonly browser: string;
  readonly cores: number;
  /** Of each step, milliseconds from the beginning. They rise. */
  readonly times: Float64Array;
  /** By a figure's id: a value for each step, NaN where there is none. */
  readonly series: ReadonlyMap<string, Float64Array>;
  /** By a figure's id: what was so last, in a word. */
  readonly facts: ReadonlyMap<string, string>;
}

export type ReportFault =
  /** More than 64 MiB. */
  | "too-large"
  /** Not JSON, not a table, not a report or dump, or damaged. */
  | "not-a-report"
  /** Of a later version of Sealcast. */
  | "other-version"
  /** It has no step. */
  | "empty";

export type ParsedReport = { ok: true; report: Report } | { ok: false; why: ReportFault };

/** Characters of a file that is read. */
export const MAX_REPORT = 64 * 1024 * 1024;
/** Ten times what a recording holds. */
export const MOST_STEPS = 6_000;
export const MOST_SERIES = 4_096;
/** Of all series together. */
export const MOST_VALUES = 4_000_000;
const MAX_WORD = 120;

const printable = /^[\x20-\x7e\u00a0-\uffff]*$/;

/** A word of a file, or null where it is none that a report has. */
export function wordOf(value: unknown, most = MAX_WORD): string | null {
  return typeof value === "string" && value.length <= most && printable.test(value) ? value : null;
}

export function refused(why: ReportFault): ParsedReport {
  return { ok: false, why };
}
