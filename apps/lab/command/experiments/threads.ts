import { createCipheriv, randomBytes } from "node:crypto";
import { cpus } from "node:os";
import type { Cipher, SealPass } from "../../src/shared/lab.ts";
import type { Bench, Experiment, Row } from "../experiment.ts";

/** Table 2 and 3 of "Scalable Video Encryption for Real-Time Applications Using Parallel Computing Models". */
const PAPER = [
  { threads: 1, ms: 1200, mbPerS: 45, cpuPercent: 25, speedup: 1 },
  { threads: 2, ms: 720, mbPerS: 78, cpuPercent: 48, speedup: 1.67 },
  { threads: 4, ms: 410, mbPerS: 135, cpuPercent: 76, speedup: 2.93 },
  { threads: 8, ms: 260, mbPerS: 210, cpuPercent: 92, speedup: 4.62 },
];
/** What the paper's times and rates are about: 1200 ms at 45 MB/s. */
const PAPER_BYTES = 54e6;
const CAMERA = { width: 1920, height: 1080, bitsPerSecond: 6_000_000 };
/** As many raw pictures as the paper's bytes hold: they come from memory, not from a cache. */
const RAW_FRAMES = 18;
const ROUNDS = 5;
const MB = 1e6;
const KIB = 1024;

interface Arm {
  readonly frames: SealPass["frames"];
  readonly cipher: Cipher;
  readonly threads: number;
  /** Bytes a second of each round; the warm-up's is not among them. */
  readonly rates: number[];
  cpuSeconds: number;
  seconds: number;
}

export const threads: Experiment = {
  about: "The paper's parallel chunks: raw and encoded 1920x1080 frames sealed by 1, 2, 4 and 8 workers",

  async run(bench) {
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
    const rows = arms.map((arm) => row(arm, baseline(arms, arm)));
    return { rows, summary: summary(arms) };
  },
};

/** One and two threads stand side by side, so that each round has a pair under the same conditions. */
function everyArm(): Arm[] {
  const ciphers = ["AES-256-GCM", "AES-256-CTR"] as const;
  return (["raw", "encoded"] as const).flatMap((frames) =>
    ciphers.flatMap((cipher) =>
      PAPER.map(({ threads }) => ({ frames, cipher, threads, rates: [], cpuSeconds: 0, seconds: 0 })),
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
  arm.rates.push((1000 * sealed.bytes) / sealed.ms);
}

function baseline(arms: readonly Arm[], of: Arm): Arm {
  const one = arms.find(({ frames, cipher, threads }) => frames === of.frames && cipher === of.cipher && threads === 1);
  return one ?? of;
}

function row(arm: Arm, one: Arm): Row {
  const paper = PAPER.find(({ threads }) => threads === arm.threads);
  const rate = median(arm.rates);
  return {
    frames: arm.frames,
    cipher: arm.cipher,
    threads: arm.threads,
    ms: round((1000 * PAPER_BYTES) / rate, 1),
    mbPerS: round(rate / MB, 0),
    cpuPercent: round((100 * arm.cpuSeconds) / arm.seconds / cpus().length, 0),
    speedup: round(speedup(arm, one), 2),
    paperMs: paper?.ms ?? null,
    paperMbPerS: paper?.mbPerS ?? null,
    paperCpuPercent: paper?.cpuPercent ?? null,
    paperSpeedup: paper?.speedup ?? null,
  };
}

function summary(arms: readonly Arm[]): Record<string, number> {
  const [one, two] = arms.filter(({ frames, cipher }) => frames === "raw" && cipher === "AES-256-GCM");
  if (one === undefined || two === undefined) throw new Error("the raw AES-256-GCM arms are missing");
  return {
    mbPerS1: round(median(one.rates) / MB, 0),
    mbPerS2: round(median(two.rates) / MB, 0),
    speedup2: round(speedup(two, one), 2),
    opensslMbPerS: round(openssl() / MB, 0),
  };
}

/** Of the pairs of each round, the median. */
function speedup(arm: Arm, one: Arm): number {
  return median(arm.rates.map((rate, round) => rate / (one.rates[round] ?? rate)));
}

/** Bytes a second of AES-256-GCM on one core, outside the browser, at the size that suits it best. */
function openssl(): number {
  const key = randomBytes(32);
  const sizes = [64, 128, 256, 512].map((size) => size * KIB);
  const rates = sizes.map((size) => median(Array.from({ length: ROUNDS }, () => opensslRate(key, randomBytes(size)))));
  return Math.max(...rates);
}

function opensslRate(key: Buffer, piece: Buffer): number {
  const pieces = Math.ceil(PAPER_BYTES / piece.length);
  const since = performance.now();
  for (let number = 0; number < pieces; number++) {
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32BE(number, 8);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    cipher.update(piece);
    cipher.final();
    cipher.getAuthTag();
  }
  return (1000 * pieces * piece.length) / (performance.now() - since);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
