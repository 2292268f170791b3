import type { Experiment, Row } from "../../command/experiment.ts";
import { mean, quantile, round } from "../../src/shared/statistics.ts";
import { selective as inPage, OURS } from "./experiment.ts";
import { besides, oursOf, PAPER, type PaperFigures, PERCENTS, type Percent, rows } from "./paper.ts";
import { type LinkName, measureCalls, type SelectiveCall } from "./selective-calls.command.ts";

export const selective: Experiment = {
  async run(bench) {
    const packets = await inPage(bench);
    const { calls, missing } = await measureCalls(bench);
    return {
      rows: [...packets.rows, ...callRows(calls, missing)],
      summary: { ...packets.summary, ...summary(calls) },
      ours: [
        ...(packets.ours ?? []),
        ...oursOf("wlan", OURS, delays(calls, "loopback", 0.5)),
        ...oursOf("slow", OURS, delays(calls, "slow", 0.5)),
      ],
    };
  },
};

/** From when the camera takes a picture until the far page shows it, encoder and jitter buffer included. */
function callRows(calls: readonly SelectiveCall[], missing: string | null): Row[] {
  const note = missing === null ? "" : `skipped: ${missing}`;
  return [
    ...linkRows("loopback", PAPER.wlanMs, calls, "loopback", "the paper's is a WLAN"),
    ...linkRows("5 Mbit/s", PAPER.slowMs, calls, "slow", note),
  ];
}

function linkRows(
  where: string,
  paper: PaperFigures,
  calls: readonly SelectiveCall[],
  link: LinkName,
  note: string,
): Row[] {
  const each = (figure: (calls: readonly SelectiveCall[]) => number) => eachRate(calls, link, figure);
  const cpu = each((those) => round(mean(those.map(({ cpuPercent }) => cpuPercent)), 1));
  return [
    ...besides(`L_E2E on ${where}, p50 ms`, paper, { [OURS]: delays(calls, link, 0.5) }, note),
    ...rows(`L_E2E on ${where}, p95 ms`, OURS, delays(calls, link, 0.95), [], note),
    ...rows(`call on ${where}, freezes`, OURS, each(freezesOf), [], note),
    ...rows(`call on ${where}, sending page's CPU, % of a core`, OURS, cpu, [], note),
  ];
}

function delays(calls: readonly SelectiveCall[], link: LinkName, q: number): (number | null)[] {
  return eachRate(calls, link, (those) => delayOf(those, q));
}

/** Null where there was no call of a rate. */
function eachRate(
  calls: readonly SelectiveCall[],
  link: LinkName,
  figure: (calls: readonly SelectiveCall[]) => number,
) {
  return PERCENTS.map((percent) => {
    const those = callsOf(calls, link, percent);
    return those.length === 0 ? null : figure(those);
  });
}

/** Of latencies in calls, those at the highest rate that the paper tried; freezes at 100 % too. */
function summary(calls: readonly SelectiveCall[]): Record<string, number> {
  const at75 = { fast: callsOf(calls, "loopback", 75), slow: callsOf(calls, "slow", 75) };
  const slow = {
    e2eP50Ms5Mbit: delayOf(at75.slow, 0.5),
    e2eP95Ms5Mbit: delayOf(at75.slow, 0.95),
    freezesAt75On5Mbit: freezesOf(at75.slow),
    freezesAt100On5Mbit: freezesOf(callsOf(calls, "slow", 100)),
  };
  return {
    e2eP50Ms: delayOf(at75.fast, 0.5),
    e2eP95Ms: delayOf(at75.fast, 0.95),
    freezesAt75: freezesOf(at75.fast),
    freezesAt100: freezesOf(callsOf(calls, "loopback", 100)),
    ...(at75.slow.length > 0 ? slow : {}),
  };
}

function callsOf(calls: readonly SelectiveCall[], link: LinkName, percent: Percent): SelectiveCall[] {
  return calls.filter((call) => call.link === link && call.percent === percent);
}

function delayOf(calls: readonly SelectiveCall[], q: number): number {
  const delays = calls.flatMap(({ delays }) => delays);
  return round(quantile(delays, q), 1);
}

function freezesOf(calls: readonly SelectiveCall[]): number {
  return calls.reduce((sum, { freezes }) => sum + freezes, 0);
}
