import { figureOf } from "./figure.ts";
import {
  MAX_REPORT,
  MOST_SERIES,
  MOST_STEPS,
  MOST_VALUES,
  type ParsedReport,
  type Report,
  refused,
  wordOf,
} from "./report.ts";

const FORMAT = "sealcast report";
const VERSION = 1;
const MAX_BROWSER = 400;

/** The report as JSON: everything that it holds. Values have nine significant digits. */
export function toJson({ made, browser, cores, times, series, facts }: Report): string {
  const values = (of: Float64Array) =>
    [...of].map((value) => (Number.isFinite(value) ? Number(value.toPrecision(9)) : null));
  return JSON.stringify({
    format: FORMAT,
    version: VERSION,
    ...{ made, browser, cores },
    times: values(times),
    series: Object.fromEntries([...series].map(([id, of]) => [id, values(of)])),
    facts: Object.fromEntries(facts),
  });
}

/** Reads what `toJson` of any page made. */
export function parseJson(text: string): ParsedReport {
  if (text.length > MAX_REPORT) return refused("too-large");
  const json = parsed(text);
  if (json?.format !== FORMAT) return refused("not-a-report");
  if (json.version !== VERSION) return refused("other-version");
  const times = numbers(json.times, MOST_STEPS);
  const series = seriesOf(json.series, times?.length ?? 0);
  const facts = factsOf(json.facts);
  const [made, browser] = [wordOf(json.made), wordOf(json.browser, MAX_BROWSER)];
  const cores = typeof json.cores === "number" && json.cores >= 0 ? json.cores : 0;
  if (times === null || series === null || facts === null || made === null || browser === null || !rises(times))
    return refused("not-a-report");
  if (times.length === 0) return refused("empty");
  return { ok: true, report: { made, browser, cores, times, series, facts } };
}

/** An object, or null. */
export function parsed(text: string): Record<string, unknown> | null {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
}

export function objectOf(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** NaN for each null. */
export function numbers(value: unknown, most: number): Float64Array | null {
  if (!Array.isArray(value) || value.length > most) return null;
  if (!value.every((one) => one === null || Number.isFinite(one))) return null;
  return Float64Array.from(value, (one) => one ?? Number.NaN);
}

export function rises(times: Float64Array): boolean {
  return times.every((time, at) => Number.isFinite(time) && (at === 0 || time > (times[at - 1] ?? 0)));
}

function seriesOf(value: unknown, steps: number): Map<string, Float64Array> | null {
  const entries = Object.entries(objectOf(value) ?? { "": null });
  if (entries.length > MOST_SERIES || entries.length * steps > MOST_VALUES) return null;
  const series = new Map<string, Float64Array>();
  for (const [id, of] of entries) {
    const values = numbers(of, steps);
    if (figureOf(id) === null || values?.length !== steps) return null;
    series.set(id, values);
  }
  return series;
}

function factsOf(value: unknown): Map<string, string> | null {
  const facts = new Map<string, string>();
  for (const [id, of] of Object.entries(objectOf(value) ?? { "": null })) {
    const word = wordOf(of);
    if (figureOf(id) === null || word === null || facts.size >= MOST_SERIES) return null;
    facts.set(id, word);
  }
  return facts;
}
