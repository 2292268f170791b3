import { idOf, type Statistic, toJson } from "@sealcast/metrics";
import { firstSightings, latencyOf } from "./latency.ts";
import type { Sighting } from "./sighting.ts";

/** Where and when it was measured. */
export interface ReportAbout {
  /** An ISO date. */
  readonly made: string;
  /** `navigator.userAgent` of the page whose video was watched, and its `navigator.hardwareConcurrency`. */
  readonly browser: string;
  readonly cores: number;
}

const STEP_MS = 1_000;
/** What a step's quantiles are over, as in a live dashboard. */
const WINDOW_MS = 5_000;
const SUBJECT = "received:camera:1";
const QUANTILES = ["p50", "p95", "p99"] as const;

/**
 * The measurement as JSON that Sealcast's dashboard opens: for each second the quantiles of the last five. The dashboard
 * refuses more than 100 minutes.
 * @throws {RangeError} where no stamp was read.
 */
export function reportOf(sightings: readonly Sighting[], about: ReportAbout): string {
  const pictures = firstSightings(sightings);
  if (pictures.length === 0) throw new RangeError("No picture's stamp was read: there is nothing to report.");
  const presented = pictures.map((picture) => picture.presented);
  const [from, until] = [Math.min(...presented), Math.max(...presented)];
  const times = Float64Array.from(
    { length: Math.floor((until - from) / STEP_MS) + 1 },
    (_, step) => (step + 1) * STEP_MS,
  );
  const steps = [...times].map((end) =>
    latencyOf(pictures.filter((picture) => isWithin(picture.presented - from, end - WINDOW_MS, end))),
  );
  const series = QUANTILES.map((of) => [id("end-to-end", of), Float64Array.from(steps, (step) => step[of])] as const);
  return toJson({
    ...about,
    times,
    series: new Map(series),
    facts: new Map([[id("begins", "value"), "camera-track"]]),
  });
}

function isWithin(time: number, from: number, end: number): boolean {
  return time >= from && time < end;
}

function id(name: string, statistic: Statistic): string {
  return idOf({ region: "latency", subject: SUBJECT, name, statistic });
}
