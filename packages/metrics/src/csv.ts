import { figureOf } from "./figure.ts";
import { rises } from "./json.ts";
import { MAX_REPORT, MOST_SERIES, MOST_STEPS, MOST_VALUES, type ParsedReport, type Report, refused } from "./report.ts";

const TIME = "time_ms";
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;

/** Figures as a table (RFC 4180), a row a step; what the browser itself says is left to the other forms. */
export function toCsv({ times, series }: Report): string {
  const shown = [...series].filter(([id]) => figureOf(id)?.region !== "stats");
  const cell = (value: number | undefined) => (Number.isFinite(value) ? String(Number(value?.toPrecision(9))) : "");
  const rows = [...times].map((time, at) => [cell(time), ...shown.map(([, values]) => cell(values[at]))].join(","));
  return `${[[TIME, ...shown.map(([id]) => id)].join(","), ...rows].join("\r\n")}\r\n`;
}

/** Reads what `toCsv` of any page made. A table says no more than its figures. */
export function parseCsv(text: string): ParsedReport {
  if (text.length > MAX_REPORT) return refused("too-large");
  const [head = "", ...lines] = text.split(/\r?\n/).filter((line) => line !== "");
  const [first, ...ids] = head.split(",");
  if (first !== TIME || ids.length > MOST_SERIES || lines.length > MOST_STEPS) return refused("not-a-report");
  if (ids.length * lines.length > MOST_VALUES || ids.some((id) => figureOf(id) === null))
    return refused("not-a-report");
  if (lines.length === 0) return refused("empty");
  const rows = lines.map((line) => line.split(","));
  const fits = rows.every(
    (row) => row.length === ids.length + 1 && row.every((cell) => cell === "" || NUMBER.test(cell)),
  );
  const column = (at: number) => Float64Array.from(rows, (row) => (row[at] ? Number(row[at]) : Number.NaN));
  const times = column(0);
  if (!fits || !rises(times)) return refused("not-a-report");
  const series = new Map(ids.map((id, at) => [id, column(at + 1)]));
  return { ok: true, report: { made: "", browser: "", cores: 0, times, series, facts: new Map() } };
}
