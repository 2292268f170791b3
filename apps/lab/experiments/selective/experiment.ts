import { balanced } from "../../src/shared/balance.ts";
import { withCpu } from "../../src/shared/cpu.ts";
import type { Bench, OurFigure, Results, Row } from "../../src/shared/experiment.ts";
import { figureKey } from "../../src/shared/papers.ts";
import { mean, round } from "../../src/shared/statistics.ts";
import { besides, oursOf, PAPER, PAPER_CPU, PERCENTS, type Percent, rows } from "./paper.ts";
import type { PacketTimes, SelectiveKey } from "./selective.ts";

const KEYS: readonly SelectiveKey[] = ["AES-128", "AES-256"];
/** What calls are sealed with. */
export const OURS: SelectiveKey = "AES-256";
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

/** Packets made, sealed and opened in one page. */
export async function selective(bench: Bench): Promise<Results> {
  const film = await bench.film();
  await bench.ask("packetPictures", film.slice(0, PICTURES));
  const latencies = await measureLatencies(bench);
  const loads = await measureLoads(bench);
  return {
    rows: [...latencyRows(latencies), ...loadRows(loads)],
    summary: {
      encMs256At75: timeOf(latencies, "AES-256", 75, "encMs"),
      decMs256At75: timeOf(latencies, "AES-256", 75, "decMs"),
    },
    ours: beside(latencies, loads),
  };
}

async function measureLatencies(bench: Bench): Promise<Latency[]> {
  const arms: Latency[] = KEYS.flatMap((key) => PERCENTS.map((percent) => ({ key, percent, sessions: [] })));
  const packets = bench.quick ? PACKETS / 5 : PACKETS;
  bench.say("Warm-up");
  for (const { key, percent } of arms) await bench.ask("packetSession", { key, percent, packets });
  for (const [round, order] of balanced(arms, bench.quick ? 2 : SESSIONS).entries()) {
    bench.say(`Session ${round + 1} of each key and rate`);
    for (const { key, percent, sessions } of order) {
      const times = await bench.ask("packetSession", { key, percent, packets });
      sessions.push(times);
      bench.measured(`${key}, ${percent} %`, times.encMs + times.decMs);
    }
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

function beside(latencies: readonly Latency[], loads: readonly Load[]): OurFigure[] {
  const times = (key: SelectiveKey, name: keyof PacketTimes) =>
    PERCENTS.map((percent) => timeOf(latencies, key, percent, name));
  const cpu = loads.find(({ percent }) => percent === 50)?.cpu ?? [];
  const ofCpu = (column: string, value: number) => ({ figure: figureKey("cpu", "key 32", column), arm: OURS, value });
  return [
    ...KEYS.flatMap((key) => [...oursOf("enc", key, times(key, "encMs")), ...oursOf("dec", key, times(key, "decMs"))]),
    ...oursOf(
      "memory",
      OURS,
      loads.map(({ memoryBytes }) => round(memoryBytes / MB, 2)),
    ),
    ofCpu("lowest", round(Math.min(...cpu), 2)),
    ofCpu("highest", round(Math.max(...cpu), 2)),
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
