/**
 * A frame's way, in order. `network` is from the sealing worker to the opening one: pacer, way, assembly. The pacer's
 * share of it is `send`.
 */
export const STAGES = [
  "capture",
  "encode",
  "seal",
  "send",
  "network",
  "open",
  "jitter-buffer",
  "decode",
  "render",
] as const;
export type FrameStage = (typeof STAGES)[number];

/** `stats`: what the browser itself says, under its own names. */
const REGIONS = ["latency", "cpu", "encryption", "network", "stats"] as const;
export type Region = (typeof REGIONS)[number];

/** `value`: as it was at that moment. Of quantiles and means, over the last seconds. */
const STATISTICS = ["value", "mean", "p50", "p95", "p99"] as const;
export type Statistic = (typeof STATISTICS)[number];

/** In the place of a person's number: media goes to relays or comes from them. */
export const RELAYS = 0;

/** One thing that is followed over time, or said of something. */
export interface Figure {
  readonly region: Region;
  /** Of what: letters, digits and colons, such as `received:camera:1`. People are numbers, from 1. */
  readonly subject: string;
  /** Of the subject: letters, digits, dots, slashes and hyphens. */
  readonly name: string;
  readonly statistic: Statistic;
}

const FORM = /^([a-z]+)\|([A-Za-z0-9:_-]{1,64})\|([A-Za-z0-9._/-]{1,64})\|([a-z0-9]+)$/;

export function idOf({ region, subject, name, statistic }: Figure): string {
  return `${region}|${subject}|${name}|${statistic}`;
}

/** Null: no figure of this version. */
export function figureOf(id: string): Figure | null {
  const [, region, subject, name, statistic] = FORM.exec(id) ?? [];
  const inRegion = REGIONS.find((known) => known === region);
  const by = STATISTICS.find((known) => known === statistic);
  if (inRegion === undefined || by === undefined || subject === undefined || name === undefined) return null;
  return { region: inRegion, subject, name, statistic: by };
}
