import { figureOf, idOf } from "./figure.ts";
import { numbers, objectOf, parsed } from "./json.ts";
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

/**
 * What Chromium's chrome://webrtc-internals writes, so that tools which read its dumps open ours: for each connection and
 * member of an RTCStats a series, named `ID-member`. Of addresses and descriptions there is nothing in it.
 */
export function toDump({ made, browser, times, series, facts }: Report): string {
  const began = Date.parse(made) - (times.at(-1) ?? 0);
  const at = (time: number | undefined) => new Date((Number.isFinite(began) ? began : 0) + (time ?? 0)).toISOString();
  const connections: Record<
    string,
    { url: string; rtcConfiguration: string; constraints: string; updateLog: []; stats: object }
  > = {};
  for (const [id, values] of series) {
    const figure = figureOf(id);
    if (figure?.region !== "stats") continue;
    const [, number = "0"] = figure.subject.split(":");
    connections[`1-${number}`] ??= { url: "", rtcConfiguration: "", constraints: "", updateLog: [], stats: {} };
    // Dumps have no gaps: a series is as long as there were values.
    const [from, to] = [values.findIndex(Number.isFinite), values.findLastIndex(Number.isFinite)];
    const statsType = facts.get(idOf({ ...figure, name: idIn(figure.name), statistic: "value" })) ?? "";
    Object.assign(connections[`1-${number}`]?.stats ?? {}, {
      [figure.name.replace("/", "-")]: {
        ...{ startTime: at(times[from]), endTime: at(times[to]), statsType },
        values: JSON.stringify([...values.slice(from, to + 1)].map((value) => (Number.isFinite(value) ? value : null))),
      },
    });
  }
  return JSON.stringify({ getUserMedia: [], PeerConnections: connections, UserAgent: browser, UserAgentData: [] });
}

function idIn(name: string): string {
  return name.split("/")[0] ?? "";
}

/** Reads a dump, ours or Chromium's. Of Chromium's only numbers are taken: addresses, descriptions and words stay out. */
export function parseDump(text: string): ParsedReport {
  if (text.length > MAX_REPORT) return refused("too-large");
  const json = parsed(text);
  const connections = objectOf(json?.PeerConnections);
  if (json === null || connections === null) return refused("not-a-report");
  const found = Object.values(connections).flatMap((connection, at) => {
    const stats = Object.entries(objectOf(objectOf(connection)?.stats) ?? {});
    return stats.flatMap(([name, of]) => seriesIn(`link:${at + 1}`, name, of) ?? []);
  });
  if (found.length > MOST_SERIES) return refused("too-large");
  const starts = found.map(({ start }) => start);
  const began = Math.min(...starts);
  const steps = Math.max(0, ...found.map(({ start, values }) => stepOf(start - began) + values.length));
  if (steps > MOST_STEPS || steps * found.length > MOST_VALUES) return refused("too-large");
  if (steps === 0) return refused("empty");
  const spread = ({ start, values }: Found) => {
    const whole = new Float64Array(steps).fill(Number.NaN);
    whole.set(values, stepOf(start - began));
    return whole;
  };
  const report: Report = {
    made: new Date(began + STEP_MS * (steps - 1)).toISOString(),
    browser: wordOf(json.UserAgent, 400) ?? "",
    cores: 0,
    times: Float64Array.from({ length: steps }, (_, step) => STEP_MS * step),
    series: new Map(found.map((one) => [one.id, spread(one)])),
    facts: new Map(found.map(({ id, type }) => [typeId(id), type])),
  };
  return { ok: true, report };
}

/** Both we and Chromium ask once a second. */
const STEP_MS = 1_000;

function stepOf(ms: number): number {
  return Math.round(ms / STEP_MS);
}

interface Found {
  id: string;
  type: string;
  start: number;
  values: Float64Array;
}

function seriesIn(subject: string, name: string, of: unknown): Found | null {
  const { startTime, statsType, values } = objectOf(of) ?? {};
  const start = typeof startTime === "string" ? Date.parse(startTime) : Number.NaN;
  const list = typeof values === "string" && values.startsWith("[") ? numbersIn(values) : null;
  // Member names are in brackets where Chromium computed the value itself.
  const split = name.replace(/-(?=[A-Za-z]+$)/, "/");
  const id = idOf({ region: "stats", subject, name: split, statistic: "value" });
  if (!Number.isFinite(start) || list === null || list.length === 0 || figureOf(id) === null) return null;
  return { id, type: wordOf(statsType) ?? "", start, values: list };
}

function numbersIn(text: string): Float64Array | null {
  try {
    return numbers(JSON.parse(text), MOST_STEPS);
  } catch {
    return null;
  }
}

function typeId(id: string): string {
  const figure = figureOf(id);
  return figure === null ? id : idOf({ ...figure, name: idIn(figure.name) });
}
