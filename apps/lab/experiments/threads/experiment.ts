import type { Bench, OurFigure, Results, Row } from "../../src/shared/experiment.ts";
import type { Cipher, SealPass } from "../../src/shared/lab.ts";
import { figureKey, paperFigure } from "../../src/shared/papers.ts";
import { median, round } from "../../src/shared/statistics.ts";

const THREADS = [1, 2, 4, 8];
const CIPHERS = ["AES-256-GCM", "AES-256-CTR"] as const;
/** What the paper's times and rates are about: 1200 ms at 45 MB/s. */
const PAPER_BYTES = 54e6;
const CAMERA = { width: 1920, height: 1080, bitsPerSecond: 6_000_000 };
/** As many raw pictures as the paper's bytes hold: they come from memory, not from a cache. */
const RAW_FRAMES = 18;
export const ROUNDS = 5;
const MB = 1e6;
export const KIB = 1024;

interface Arm {
  readonly frames: SealPass["frames"];
  readonly cipher: Cipher;
  readonly threads: number;
  /** Bytes a second of each round; the warm-up's is not among them. */
  readonly rates: number[];
  cpuSeconds: number;
  seconds: number;
}

/** Sealed by pools of 1 to 8 workers, raw and encoded. On how many cores stands in the machine's description. */
export async function threads(bench: Bench): Promise<Results> {
  await bench.ask("record", { ...CAMERA, frames: bench.quick ? 25 : 100 });
  const { bytes } = await bench.ask("decode", RAW_FRAMES);
  const plan = await bench.ask("plan");
  bench.say(`Raw frames are I420, ${(bytes / MB).toFixed(1)} MB each.`);
  bench.say(`Plan: payloads from ${plan.splitFrom / KIB} KiB are split, chunks of ${plan.chunkBytes / KIB} KiB.`);
  const arms = everyArm();
  for (let round = 0; round <= ROUNDS; round++) {
    bench.say(round === 0 ? "Warm-up" : `Round ${round} of ${ROUNDS}`);
    for (const arm of arms) await pass(bench, arm, round > 0);
  }
  const rows = arms.map((arm) => row(arm, baseline(arms, arm), bench.cores));
  return { rows, summary: summary(arms), ours: rows.flatMap(beside) };
}

/** One and two threads stand side by side, so that each round has a pair under the same conditions. */
function everyArm(): Arm[] {
  return (["raw", "encoded"] as const).flatMap((frames) =>
    CIPHERS.flatMap((cipher) =>
      THREADS.map((threads) => ({ frames, cipher, threads, rates: [], cpuSeconds: 0, seconds: 0 })),
    ),
  );
}

async function pass(bench: Bench, arm: Arm, counts: boolean): Promise<void> {
  const { frames, cipher, threads } = arm;
  const bytes = PAPER_BYTES * (bench.quick ? 1 : 6);
  if (!counts) return void (await bench.ask("sealPass", { frames, cipher, threads, bytes: PAPER_BYTES }));
  const before = await bench.cpuSeconds();
  const sealed = await bench.ask("sealPass", { frames, cipher, threads, bytes });
  arm.cpuSeconds += (await bench.cpuSeconds()) - before;
  arm.seconds += sealed.ms / 1000;
  const rate = (1000 * sealed.bytes) / sealed.ms;
  arm.rates.push(rate);
  bench.measured(`${frames}, ${cipher}, ${threads}`, rate / MB);
}

function baseline(arms: readonly Arm[], of: Arm): Arm {
  const one = arms.find(({ frames, cipher, threads }) => frames === of.frames && cipher === of.cipher && threads === 1);
  return one ?? of;
}

function row(arm: Arm, one: Arm, cores: number) {
  const rate = median(arm.rates);
  const paper = (column: string) => paperFigure("chunks", paperRow(arm.threads), column);
  return {
    frames: arm.frames,
    cipher: arm.cipher,
    threads: arm.threads,
    ms: round((1000 * PAPER_BYTES) / rate, 1),
    mbPerS: round(rate / MB, 0),
    cpuPercent: round((100 * arm.cpuSeconds) / arm.seconds / cores, 0),
    speedup: round(speedup(arm, one), 2),
    paperMs: paper("time"),
    paperMbPerS: paper("throughput"),
    paperCpuPercent: paper("CPU"),
    paperSpeedup: paper("speed-up"),
  } satisfies Row;
}

function paperRow(threads: number): string {
  return threads === 1 ? "1 thread" : `${threads} threads`;
}

/** The paper's frames are decoded: ours beside them are the raw ones. */
function beside({ frames, cipher, threads, ms, mbPerS, cpuPercent, speedup }: ReturnType<typeof row>): OurFigure[] {
  if (frames !== "raw") return [];
  const figure = (column: string, value: number) => ({
    figure: figureKey("chunks", paperRow(threads), column),
    arm: cipher,
    value,
  });
  return [figure("time", ms), figure("throughput", mbPerS), figure("CPU", cpuPercent), figure("speed-up", speedup)];
}

function summary(arms: readonly Arm[]): Record<string, number> {
  const [one, two] = arms.filter(({ frames, cipher }) => frames === "raw" && cipher === "AES-256-GCM");
  if (one === undefined || two === undefined) throw new Error("the raw AES-256-GCM arms are missing");
  return {
    mbPerS1: round(median(one.rates) / MB, 0),
    mbPerS2: round(median(two.rates) / MB, 0),
    speedup2: round(speedup(two, one), 2),
  };
}

/** Of the pairs of each round, the median. */
function speedup(arm: Arm, one: Arm): number {
  return median(arm.rates.map((rate, round) => rate / (one.rates[round] ?? rate)));
}
