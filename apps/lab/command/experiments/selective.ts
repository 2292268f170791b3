import { readFile } from "node:fs/promises";
import type { PacketTimes, SelectiveKey } from "../../src/shared/selective.ts";
import type { Bench, Experiment, Row } from "../experiment.ts";
import { jpegs } from "../jpegs.ts";
import { CLIP } from "../raw-clip.ts";
import { balanced, mean, quantile } from "./balance.ts";
import { type Call, type LinkName, measureCalls, withCpu } from "./selective-calls.ts";
import { besides, PAPER, PAPER_CPU, type PaperFigures, PERCENTS, type Percent, rows } from "./selective-paper.ts";

const KEYS: readonly SelectiveKey[] = ["AES-128", "AES-256"];
/** What calls are sealed with. */
const OURS: SelectiveKey = "AES-256";
const SESSIONS = 10;
const PACKETS = 500;
const PICTURES = 40;
const PER_SECOND = 25;
/** The browser counts CPU in hundredths of a second. */
const CPU_SAMPLE_MS = 2_000;
const MB = 1e6;

/** Sessions of one key and rate. */
interface Latency {
  key: SelectiveKey;
  percent: Percent;
  sessions: PacketTimes[];
}

/** A sender at work: CPU in percent of one core, sample by sample. */
interface Load {
  percent: Percent;
  cpu: number[];
  memoryBytes: number;
}

export const selective: Experiment = {
  about: "The paper's selective packets: what sealing 25 to 100 % of them costs, alone and in a call",

  async run(bench) {
    await bench.ask("packetPictures", jpegs(new Uint8Array(await readFile(CLIP))).slice(0, PICTURES));
    const latencies = await measureLatencies(bench);
    const loads = await measureLoads(bench);
    const { calls, missing } = await measureCalls(bench);
    return {
      rows: [...latencyRows(latencies), ...loadRows(loads), ...callRows(calls, missing)],
      summary: summary(latencies, calls),
    };
  },
};

async function measureLatencies(bench: Bench): Promise<Latency[]> {
  const arms: Latency[] = KEYS.flatMap((key) => PERCENTS.map((percent) => ({ key, percent, sessions: [] })));
  const packets = bench.quick ? PACKETS / 5 : PACKETS;
  bench.say("Warm-up");
  for (const { key, percent } of arms) await bench.ask("packetSession", { key, percent, packets });
  for (const [round, order] of balanced(arms, bench.quick ? 2 : SESSIONS).entries()) {
    bench.say(`Session ${round + 1} of each key and rate`);
    for (const { key, percent, sessions } of order)
      sessions.push(await bench.ask("packetSession", { key, percent, packets }));
  }
  await bench.ask("endPackets");
  return arms;
}

async function measureLoads(bench: Bench): Promise<Load[]> {
  const loads: Load[] = [];
  for (const percent of PERCENTS) {
    bench.say(`A sender of ${PER_SECOND} packets a second, ${percent} % sealed`);
    await bench.ask("startPace", { key: OURS, percent, perSecond: PER_SECOND });
    const cpu: number[] = [];
    for (let sample = 0; sample <= (bench.quick ? 2 : 10); sample++) {
      const [share] = await withCpu(bench, () => new Promise((resolve) => setTimeout(resolve, CPU_SAMPLE_MS)));
      // The first one has the worker's start in it.
      if (sample > 0) cpu.push(share);
    }
    loads.push({ percent, cpu, memoryBytes: await bench.ask("memory") });
    await bench.ask("endPace");
  }
  return loads;
}

/**
 * L_Enc is the packet's making (a picture's bytes copied into 95,000 of its own), the draw, and AES-GCM over the packet,
 * or over nothing but its tag where it is left readable. L_Dec is the tag's check and the decryption. Both are means over all
 * packets, sealed or not.
 */
function latencyRows(latencies: readonly Latency[]): Row[] {
  const each = (name: keyof PacketTimes) => ({
    "AES-128": PERCENTS.map((percent) => timeOf(latencies, "AES-128", percent, name)),
    "AES-256": PERCENTS.map((percent) => timeOf(latencies, "AES-256", percent, name)),
  });
  return [
    ...besides("L_Enc, packet made and sealed, ms", PAPER.encMs, each("encMs")),
    ...besides("L_Dec, packet opened, ms", PAPER.decMs, each("decMs")),
  ];
}

function timeOf(latencies: readonly Latency[], key: SelectiveKey, percent: Percent, name: keyof PacketTimes): number {
  const arm = latencies.find((latency) => latency.key === key && latency.percent === percent);
  return round(mean(arm?.sessions.map((times) => times[name]) ?? []), 3);
}

/**
 * Of making and sealing packets only: the paper's CPU has the camera in it. Memory is what the page and its worker hold,
 * as the browser counts it, not what its process takes.
 */
function loadRows(loads: readonly Load[]): Row[] {
  const cpu = (figure: (values: number[]) => number) => loads.map(({ cpu }) => round(figure(cpu), 2));
  const what = `${PER_SECOND} packets/s made and sealed`;
  return [
    ...besides(`${what}, MB`, PAPER.memoryMb, { [OURS]: loads.map(({ memoryBytes }) => round(memoryBytes / MB, 2)) }),
    ...rows(
      `${what}, CPU lowest, % of a core`,
      OURS,
      cpu((values) => Math.min(...values)),
      PAPER_CPU.lowest,
    ),
    ...rows(
      `${what}, CPU highest, % of a core`,
      OURS,
      cpu((values) => Math.max(...values)),
      PAPER_CPU.highest,
    ),
    ...rows(`${what}, CPU mean, % of a core`, OURS, cpu(mean)),
  ];
}

/** From when the camera takes a picture until the far page shows it, encoder and jitter buffer included. */
function callRows(calls: readonly Call[], missing: string | null): Row[] {
  const note = missing === null ? "" : `skipped: ${missing}`;
  return [
    ...linkRows("loopback", PAPER.wlanMs, calls, "loopback", "the paper's is a WLAN"),
    ...linkRows("5 Mbit/s", PAPER.slowMs, calls, "slow", note),
  ];
}

function linkRows(where: string, paper: PaperFigures, calls: readonly Call[], link: LinkName, note: string): Row[] {
  const each = (figure: (calls: readonly Call[]) => number) =>
    PERCENTS.map((percent) => {
      const those = callsOf(calls, link, percent);
      return those.length === 0 ? null : figure(those);
    });
  const p50 = each((those) => delayOf(those, 0.5));
  const p95 = each((those) => delayOf(those, 0.95));
  const cpu = each((those) => round(mean(those.map(({ cpuPercent }) => cpuPercent)), 1));
  return [
    ...besides(`L_E2E on ${where}, p50 ms`, paper, { [OURS]: p50 }, note),
    ...rows(`L_E2E on ${where}, p95 ms`, OURS, p95, [], note),
    ...rows(`call on ${where}, freezes`, OURS, each(freezesOf), [], note),
    ...rows(`call on ${where}, sending page's CPU, % of a core`, OURS, cpu, [], note),
  ];
}

/** Of latencies in calls, those at the highest rate that the paper tried; freezes at 100 % too. */
function summary(latencies: readonly Latency[], calls: readonly Call[]): Record<string, number> {
  const at75 = { fast: callsOf(calls, "loopback", 75), slow: callsOf(calls, "slow", 75) };
  const slow = {
    e2eP50Ms5Mbit: delayOf(at75.slow, 0.5),
    e2eP95Ms5Mbit: delayOf(at75.slow, 0.95),
    freezesAt75On5Mbit: freezesOf(at75.slow),
    freezesAt100On5Mbit: freezesOf(callsOf(calls, "slow", 100)),
  };
  return {
    encMs256At75: timeOf(latencies, "AES-256", 75, "encMs"),
    decMs256At75: timeOf(latencies, "AES-256", 75, "decMs"),
    e2eP50Ms: delayOf(at75.fast, 0.5),
    e2eP95Ms: delayOf(at75.fast, 0.95),
    freezesAt75: freezesOf(at75.fast),
    freezesAt100: freezesOf(callsOf(calls, "loopback", 100)),
    ...(at75.slow.length > 0 ? slow : {}),
  };
}

function callsOf(calls: readonly Call[], link: LinkName, percent: Percent): Call[] {
  return calls.filter((call) => call.link === link && call.percent === percent);
}

function delayOf(calls: readonly Call[], q: number): number {
  const delays = calls.flatMap(({ delays }) => delays);
  return round(quantile(delays, q), 1);
}

function freezesOf(calls: readonly Call[]): number {
  return calls.reduce((sum, { freezes }) => sum + freezes, 0);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
