import type { Bench, OurFigure, Results, Row } from "../../src/shared/experiment.ts";
import { figureKey, paperFigure } from "../../src/shared/papers.ts";
import { mean, quantile, round } from "../../src/shared/statistics.ts";
import type { SeekKind, VaultArm, VaultPassed } from "./vault.ts";

const MB = 1e6;
const SIZES_MB = [5, 10, 20, 30, 40, 50];
const LARGE_MB = 1000;
const QUICK_MB = 100;
const RUNS = 20;
const LARGE_RUNS = 3;
const SEEKS = 60;
const SEEK_KINDS: readonly SeekKind[] = ["random", "to and fro", "dragged"];
/** How often is looked at the browser's memory while it plays. */
const LOOK_MS = 250;

/** The table's columns. */
const EMPTY: Row = {
  arm: "",
  megabytes: null,
  writeMBps: null,
  readMBps: null,
  paperWriteMBps: null,
  paperReadMBps: null,
  p50Ms: null,
  p95Ms: null,
  memoryMB: null,
  memoryMostMB: null,
};

/** One way to keep a file. */
export interface StorageArm {
  readonly name: string;
  readonly run: (bytes: number) => Promise<VaultPassed>;
}

/** MB a second, of each run. */
interface Rates {
  readonly write: number[];
  readonly read: number[];
}

/** What the page holds its files in. */
export interface VaultBench extends Bench {
  /** Megabytes of memory that the page's process holds at present; NaN where nothing tells. */
  memoryMB(): number;
}

/** `comparators`: the paper's cipher, where something has it. */
export async function vault(bench: VaultBench, comparators: readonly StorageArm[] = []): Promise<Results> {
  const files = await measureFiles(bench, comparators);
  const recording = await measureRecording(bench);
  return {
    rows: [...files.rows, ...recording.rows],
    summary: { ...files.summary, ...recording.summary },
    ours: beside(files.summary),
  };
}

async function measureFiles(bench: VaultBench, comparators: readonly StorageArm[]) {
  const all = Math.max(2, bench.cores);
  const arms = [...inPage(bench, all), ...comparators];
  const rows: Row[] = [];
  const rates = new Map<string, Rates>();
  for (const megabytes of bench.quick ? [20] : [...SIZES_MB, LARGE_MB]) {
    bench.say(`${megabytes} MB`);
    const runs = bench.quick ? 3 : megabytes === LARGE_MB ? LARGE_RUNS : RUNS;
    for (const [name, rate] of await measure(bench, arms, megabytes * MB, runs)) {
      rows.push(row(name, megabytes, rate));
      rates.set(name, joined(rates.get(name), rate));
    }
  }
  return { rows, summary: summary(rates, all) };
}

/** A recording of 1 GB in the product's own player. */
async function measureRecording(bench: VaultBench): Promise<Results> {
  const { ask } = bench;
  const memoryMB = () => bench.memoryMB();
  const made = await ask("makeRecording", (bench.quick ? QUICK_MB : LARGE_MB) * MB);
  const megabytes = round(made.bytes / MB, 0);
  const what = `${megabytes} MB, ${made.fragments} fragments, made in ${round(made.makeMs / 1000, 1)} s`;
  bench.say(`${what}; found in ${round(made.indexMs, 1)} ms, from box to box in ${round(made.walkMs, 0)} ms`);
  const rows: Row[] = [];
  const seeks: number[] = [];
  for (const kind of SEEK_KINDS) {
    const times = await ask("seeks", kind, bench.quick ? SEEKS / 3 : SEEKS);
    seeks.push(...times);
    rows.push({ ...EMPTY, arm: `seeks, ${kind}`, megabytes, p50Ms: ms(times, 0.5), p95Ms: ms(times, 0.95) });
  }
  const before = memoryMB();
  const readMBps = await ask("readThrough");
  const most = await mostDuring(memoryMB, ask("playThrough"));
  const memory = { memoryMB: round(before, 0), memoryMostMB: round(most, 0) };
  rows.push({ ...EMPTY, arm: "read and played through", megabytes, readMBps: round(readMBps, 1), ...memory });
  const summary = {
    seekP50Ms: ms(seeks, 0.5),
    seekP95Ms: ms(seeks, 0.95),
    indexMs: round(made.indexMs, 1),
    memoryGrowthMB: round(most - before, 0),
  };
  return { rows, summary };
}

function ms(times: readonly number[], share: number): number {
  return round(quantile(times, share), 1);
}

async function mostDuring(memoryMB: () => number, work: Promise<void>): Promise<number> {
  let most = memoryMB();
  const timer = setInterval(() => {
    most = Math.max(most, memoryMB());
  }, LOOK_MS);
  await work.finally(() => clearInterval(timer));
  return most;
}

function inPage({ ask }: Bench, all: number): StorageArm[] {
  const arms: [string, VaultArm][] = [
    ["plain", { type: "plain" }],
    ["sealed, 1 worker", { type: "sealed", workers: 1 }],
    [`sealed, ${all} workers`, { type: "sealed", workers: all }],
  ];
  return arms.map(([name, arm]) => ({ name, run: (bytes) => ask("vaultPass", { arm, bytes }) }));
}

/** All arms in turn in each round, so that each round has them under the same conditions. The first round does not count. */
async function measure(
  bench: Bench,
  arms: readonly StorageArm[],
  bytes: number,
  runs: number,
): Promise<Map<string, Rates>> {
  const rates = new Map(arms.map(({ name }): [string, Rates] => [name, { write: [], read: [] }]));
  for (let round = 0; round <= runs; round++) {
    for (const { name, run } of arms) {
      const { writeMs, readMs } = await run(bytes);
      if (round === 0) continue;
      bench.measured(`${name}, read`, bytes / MB / (readMs / 1000));
      bench.measured(`${name}, write`, bytes / MB / (writeMs / 1000));
      rates.get(name)?.write.push(bytes / MB / (writeMs / 1000));
      rates.get(name)?.read.push(bytes / MB / (readMs / 1000));
    }
  }
  return rates;
}

function row(name: string, megabytes: number, { write, read }: Rates): Row {
  const paper = name === "plain" ? "plain" : "encrypted";
  return {
    ...EMPTY,
    arm: name,
    megabytes,
    writeMBps: round(mean(write), 1),
    readMBps: round(mean(read), 1),
    paperWriteMBps: paperFigure("files", paper, "write"),
    paperReadMBps: paperFigure("files", paper, "read"),
  };
}

/**
 * More workers make all faster but the disk. Of 20 MB, one worker seals and writes for some 50 ms and then waits 10 to 20 ms for the
 * flush, which is for all of the file. Ciphers and digests run in the workers themselves, and two that write one file wait for each
 * other in the kernel for less than a twentieth of the time. To flush each 8 MiB, or to free buffers at once, made no difference that
 * showed on a busy machine.
 */
function summary(rates: ReadonlyMap<string, Rates>, all: number) {
  const of = (name: string): Rates => rates.get(name) ?? { write: [], read: [] };
  const [plain, one, many] = [of("plain"), of("sealed, 1 worker"), of(`sealed, ${all} workers`)];
  return {
    writeMBps: round(mean(many.write), 0),
    readMBps: round(mean(many.read), 0),
    parallelWriteGain: round(gain(many.write, one.write), 2),
    parallelReadGain: round(gain(many.read, one.read), 2),
    plainWriteMBps: round(mean(plain.write), 0),
    plainReadMBps: round(mean(plain.read), 0),
  };
}

/** The paper says how much faster parallel encryption is, in percent. */
function beside(found: ReturnType<typeof summary>): OurFigure[] {
  const percent = (gain: number) => round(100 * (gain - 1), 0);
  const figure = (table: string, row: string, column: string, arm: string, value: number) => ({
    figure: figureKey(table, row, column),
    arm,
    value,
  });
  return [
    figure("files", "encrypted", "write", "sealed, all workers", found.writeMBps),
    figure("files", "encrypted", "read", "sealed, all workers", found.readMBps),
    figure("files", "plain", "write", "plain", found.plainWriteMBps),
    figure("files", "plain", "read", "plain", found.plainReadMBps),
    figure("gain", "faster by", "write", "all workers over 1", percent(found.parallelWriteGain)),
    figure("gain", "faster by", "read", "all workers over 1", percent(found.parallelReadGain)),
  ];
}

/** Of the pairs of each round, the median. */
function gain(many: readonly number[], one: readonly number[]): number {
  const gains = many.map((rate, i) => rate / (one[i] ?? rate)).sort((a, b) => a - b);
  return gains[Math.floor(gains.length / 2)] ?? Number.NaN;
}

function joined(before: Rates | undefined, { write, read }: Rates): Rates {
  return { write: [...(before?.write ?? []), ...write], read: [...(before?.read ?? []), ...read] };
}
