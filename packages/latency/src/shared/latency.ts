import type { Sighting } from "./sighting.ts";
import { type Stamp, since } from "./stamp.ts";

export type { Sighting };

/** From the moment that a camera's track gave a picture to that in which a video presented it; in milliseconds, to a tenth. */
export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Pictures whose latency is known. One that is shown again counts once, when it was first shown. */
  readonly frames: number;
  /** Pictures that were shown and whose stamp could not be read. */
  readonly readFailures: number;
}

/** A picture whose stamp was read. */
interface ReadSighting extends Sighting {
  readonly stamp: Stamp;
}

/** Pictures whose stamp was read; one that was shown again is there once, when it was first shown. */
export function firstSightings(sightings: readonly Sighting[]): ReadSighting[] {
  const first = new Map<number, ReadSighting>();
  for (const { stamp, presented } of sightings)
    if (stamp !== null && !first.has(stamp.time)) first.set(stamp.time, { stamp, presented });
  return [...first.values()];
}

/** Of every picture whose stamp was read, milliseconds; one that was shown again counts once, when it was first shown. */
export function latenciesOf(sightings: readonly Sighting[]): number[] {
  return firstSightings(sightings).map(({ stamp, presented }) => since(stamp, presented));
}

/** NaN for quantiles of no picture. */
export function latencyOf(sightings: readonly Sighting[]): Latency {
  const sorted = latenciesOf(sightings).sort((a, b) => a - b);
  const quantile = (q: number) => round(sorted[Math.ceil(q * sorted.length) - 1] ?? Number.NaN);
  const readFailures = sightings.filter(({ stamp }) => stamp === null).length;
  return { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99), frames: sorted.length, readFailures };
}

/** To what a stamp can say. */
function round(ms: number): number {
  return Math.round(10 * ms) / 10;
}
