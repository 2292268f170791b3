import { type ChildProcess, fork } from "node:child_process";
import { cpus } from "node:os";
import { join } from "node:path";
import type { BatchPassed, BatchScheme, GpuPassed } from "../../src/shared/batch.ts";
import { BROKEN, type BrokenPass, type BrokenPassed } from "../batch-child.ts";
import { openLab } from "../bench.ts";
import type { Bench, Experiment, Results, Row } from "../experiment.ts";
import { quantile } from "./balance.ts";

/** "Multi-level" encryption of CIFAR-10 images, seconds for 1 to 50,000 of them on a GPU, and for 50,000 on a CPU. */
const IMAGES = [1, 10, 100, 1_000, 10_000, 50_000];
const PAPER: Readonly<Record<string, { gpu: readonly number[]; cpu: number }>> = {
  AES: { gpu: [0.000203, 0.000224, 0.01164, 0.0981, 0.3352, 0.7897], cpu: 6.4512 },
  DES: { gpu: [0.1338, 0.1254, 0.3279, 0.1972, 0.4659, 4.9089], cpu: 14.2783 },
  // Its claim of 6.68 times, from the 2.4875 s on the GPU.
  "AES+DES": { gpu: [0.0084, 0.001, 0.0116, 0.1778, 0.4772, 2.4875], cpu: 16.6165 },
};
const RUNS = 5;
/** Web Crypto costs much the same for each call: `PER_RECORD` images are sealed as one record, 192 KiB. */
const PER_RECORD = 64;
const TWO_LAYERS = "AES-256-GCM, then XChaCha20-Poly1305";
const CHILD = join(import.meta.dirname, "batch-child.js");
const WEBGPU = "--enable-unsafe-webgpu";
const SOFTWARE = "--use-webgpu-adapter=swiftshader";

interface Arm {
  readonly scheme: string;
  readonly by: string;
  /** Whose figures stand beside it. */
  readonly paper: string;
  run(images: number): Promise<BatchPassed & Partial<GpuPassed>>;
}

interface Measured {
  readonly arm: Arm;
  readonly images: number;
  readonly runs: readonly (BatchPassed & Partial<GpuPassed>)[];
}

export const batch: Experiment = {
  about: "The paper's batches: 1 to 50,000 small images, by one worker, by all, by WebGPU, and with its ciphers",

  async run(bench) {
    const broken = new Broken();
    const gpu = await openGpu();
    bench.say(gpu === null ? "This browser gives no graphics processor." : `Graphics processor: ${gpu.name}`);
    try {
      const arms = [...inPage(bench), ...(gpu?.arms ?? []), ...BROKEN.map((scheme) => broken.arm(scheme))];
      const measured: Measured[] = [];
      for (const images of bench.quick ? [1, 1_000, 50_000] : IMAGES) {
        bench.say(`${images} images`);
        measured.push(...(await measure(arms, images, bench.quick ? 1 : RUNS)));
      }
      return { rows: measured.map(row), summary: summary(measured, gpu?.name ?? "none") };
    } finally {
      broken.close();
      await gpu?.close();
    }
  },
};

function inPage({ ask }: Bench): Arm[] {
  const all = Math.max(2, cpus().length);
  const by = (workers: number) => (workers === 1 ? "1 worker" : `${workers} workers`);
  const arm = (scheme: BatchScheme, workers: number, perRecord = 1): Arm => ({
    scheme,
    by: perRecord === 1 ? by(workers) : `${by(workers)}, ${perRecord} images a record`,
    paper: scheme === TWO_LAYERS ? "AES+DES" : "AES",
    run: (images) => ask("batchPass", { scheme, images, perRecord: Math.min(perRecord, images), workers }),
  });
  return [
    ...[1, all].flatMap((workers) => [
      arm("AES-128-GCM", workers),
      arm("AES-256-GCM", workers),
      arm(TWO_LAYERS, workers),
    ]),
    arm("AES-256-GCM", all, PER_RECORD),
    arm(TWO_LAYERS, all, PER_RECORD),
  ];
}

/** A browser that may use a graphics processor: this machine's, or else the program that stands in for one. */
async function openGpu() {
  for (const more of [[WEBGPU], [WEBGPU, SOFTWARE]]) {
    const lab = await openLab({ more });
    const adapter = await lab.ask("gpuAdapter");
    if (adapter !== null) {
      const name = adapter.isSoftware ? `${adapter.name} (software)` : adapter.name;
      const arm = (keyBits: 128 | 256): Arm => ({
        scheme: `AES-${keyBits}-CTR (nothing authenticates)`,
        by: `WebGPU, ${name}`,
        paper: "AES",
        run: (images) => lab.ask("gpuPass", images, keyBits),
      });
      return { name, arms: [arm(128), arm(256)], close: lab.close };
    }
    await lab.close();
  }
  return null;
}

/** All arms in turn in each round, so that each round has them under the same conditions. The first round does not count. */
async function measure(arms: readonly Arm[], images: number, rounds: number): Promise<Measured[]> {
  const measured = arms.map((arm) => ({ arm, images, runs: [] as Measured["runs"][number][] }));
  for (let round = 0; round <= rounds; round++)
    for (const { arm, runs } of measured) {
      const passed = await arm.run(images);
      if (round > 0) runs.push(passed);
    }
  return measured;
}

function row({ arm, images, runs }: Measured): Row {
  const seconds = (q: number, part: "ms" | "transferMs" | "computeMs" = "ms") =>
    round(
      quantile(
        runs.map((run) => run[part] ?? Number.NaN),
        q,
      ) / 1000,
      5,
    );
  const isGpu = runs[0]?.computeMs !== undefined;
  const paper = PAPER[arm.paper];
  return {
    scheme: arm.scheme,
    by: arm.by,
    images,
    seconds: seconds(0.5),
    leastSeconds: seconds(0),
    mostSeconds: seconds(1),
    transferSeconds: isGpu ? seconds(0.5, "transferMs") : null,
    computeSeconds: isGpu ? seconds(0.5, "computeMs") : null,
    memoryMB: round(Math.max(...runs.map(({ memoryBytes }) => memoryBytes)) / 1e6, 0),
    paperGpuSeconds: paper?.gpu[IMAGES.indexOf(images)] ?? null,
    paperCpuSeconds: images === IMAGES.at(-1) ? (paper?.cpu ?? null) : null,
  };
}

function summary(measured: readonly Measured[], gpuAdapter: string): Results["summary"] {
  const most = measured.filter(({ images }) => images === IMAGES.at(-1));
  const of = (scheme: string, fits: (by: string) => boolean) => {
    const found = most.find(({ arm }) => arm.scheme.startsWith(scheme) && fits(arm.by));
    return round(
      quantile(
        (found?.runs ?? []).map(({ ms }) => ms),
        0.5,
      ) / 1000,
      3,
    );
  };
  const isOne = (by: string) => by === "1 worker";
  const [one, gpu] = [of("AES-256-GCM", isOne), of("AES-256-CTR", () => true)];
  return {
    aes50000S: one,
    pool50000S: of("AES-256-GCM", (by) => by.includes("a record")),
    poolEach50000S: of("AES-256-GCM", (by) => !isOne(by) && !by.includes("a record")),
    twoLayer50000S: of(TWO_LAYERS, (by) => by.includes("a record")),
    des50000S: of("DES-ECB", () => true),
    gpuAdapter,
    gpuAes50000S: gpu,
    gpuSpeedup: round(one / gpu, 2),
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** The paper's ciphers, in a Node process whose OpenSSL has them. One pass at a time. */
class Broken {
  readonly #child: ChildProcess = fork(CHILD, { execArgv: ["--openssl-legacy-provider"] });

  arm(scheme: BrokenPass["scheme"]): Arm {
    const paper = scheme.includes("over") ? "AES+DES" : scheme.slice(0, 3);
    return {
      scheme: `${scheme} (broken)`,
      by: "1 Node process",
      paper,
      run: (images) => this.#pass({ scheme, images }),
    };
  }

  close(): void {
    this.#child.removeAllListeners();
    this.#child.kill();
  }

  #pass(pass: BrokenPass): Promise<BrokenPassed> {
    return new Promise((resolve, reject) => {
      this.#child.removeAllListeners();
      this.#child.once("message", (passed) => resolve(passed as BrokenPassed));
      this.#child.once("exit", () => reject(new Error("Node's OpenSSL failed: see the lines above")));
      this.#child.send(pass);
    });
  }
}
