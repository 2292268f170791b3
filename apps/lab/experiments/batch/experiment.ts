import type { Bench, OurFigure, Results, Row } from "../../src/shared/experiment.ts";
import { figureKey, paperFigure } from "../../src/shared/papers.ts";
import { quantile, round } from "../../src/shared/statistics.ts";
import type { BatchPassed, BatchScheme, GpuPassed } from "./batch.ts";

/** As many as the paper has. */
const IMAGES = [1, 10, 100, 1_000, 10_000, 50_000];
const RUNS = 5;
/** Web Crypto costs much the same for each call: `PER_RECORD` images are sealed as one record, 192 KiB. */
const PER_RECORD = 64;
const TWO_LAYERS = "AES-256-GCM, then XChaCha20-Poly1305";

/** One way to encrypt a batch. */
export interface BatchArm {
  readonly scheme: string;
  readonly by: string;
  /** The row of the paper's that stands beside it. */
  readonly paper: "AES" | "DES (broken)" | "AES over DES (broken)";
  run(images: number): Promise<BatchPassed & Partial<GpuPassed>>;
}

interface Measured {
  readonly arm: BatchArm;
  readonly images: number;
  readonly runs: readonly (BatchPassed & Partial<GpuPassed>)[];
}

/** A graphics processor, or the program that stands in for one. */
export interface Gpu {
  readonly name: string;
  readonly arms: readonly BatchArm[];
}

/** `gpu`: null where there is none. `comparators`: the paper's ciphers, where something has them. */
export async function batch(bench: Bench, gpu: Gpu | null, comparators: readonly BatchArm[] = []): Promise<Results> {
  bench.say(gpu === null ? "This browser gives no graphics processor." : `Graphics processor: ${gpu.name}`);
  const arms = [...inPage(bench), ...(gpu?.arms ?? []), ...comparators];
  const measured: Measured[] = [];
  for (const images of bench.quick ? [1, 1_000, 50_000] : IMAGES) {
    bench.say(`${images} images`);
    measured.push(...(await measure(bench, arms, images)));
  }
  const rows = measured.map(row);
  const found = summary(measured, gpu?.name ?? "none");
  return { rows, summary: found, ours: [...measured.flatMap(beside), ...overall(measured, found.gpuSpeedup)] };
}

/** The one that a page may use. */
export async function gpuOf({ ask }: Pick<Bench, "ask">): Promise<Gpu | null> {
  const adapter = await ask("gpuAdapter");
  if (adapter === null) return null;
  const name = adapter.isSoftware ? `${adapter.name} (software)` : adapter.name;
  const arm = (keyBits: 128 | 256): BatchArm => ({
    scheme: `AES-${keyBits}-CTR (nothing authenticates)`,
    by: `WebGPU, ${name}`,
    paper: "AES",
    run: (images) => ask("gpuPass", images, keyBits),
  });
  return { name, arms: [arm(128), arm(256)] };
}

function inPage({ ask, cores }: Bench): BatchArm[] {
  const all = Math.max(2, cores);
  const by = (workers: number) => (workers === 1 ? "1 worker" : `${workers} workers`);
  const arm = (scheme: BatchScheme, workers: number, perRecord = 1): BatchArm => ({
    scheme,
    by: perRecord === 1 ? by(workers) : `${by(workers)}, ${perRecord} images a record`,
    paper: scheme === TWO_LAYERS ? "AES over DES (broken)" : "AES",
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

/** All arms in turn in each round, so that each round has them under the same conditions. The first round does not count. */
async function measure(bench: Bench, arms: readonly BatchArm[], images: number): Promise<Measured[]> {
  const rounds = bench.quick ? 1 : RUNS;
  const measured = arms.map((arm) => ({ arm, images, runs: [] as Measured["runs"][number][] }));
  for (let round = 0; round <= rounds; round++)
    for (const { arm, runs } of measured) {
      const passed = await arm.run(images);
      if (round === 0) continue;
      runs.push(passed);
      bench.measured(`${arm.scheme}, ${arm.by}`, passed.ms / 1000);
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
    paperGpuSeconds: paperFigure("gpu", arm.paper, String(images)),
    paperCpuSeconds: images === IMAGES.at(-1) ? paperFigure("cpu-50000", arm.paper, "time") : null,
  };
}

/** What the paper says of all its batches. */
function overall(measured: readonly Measured[], gpuSpeedup: number): OurFigure[] {
  const memory = measured.flatMap(({ runs }) => runs.map(({ memoryBytes }) => memoryBytes / 1e6));
  const ofMemory = (column: string, value: number) => ({
    figure: figureKey("batch-memory", "all", column),
    arm: "all",
    value: round(value, 0),
  });
  const gain = {
    figure: figureKey("gpu-speed-up", "AES", "speed-up"),
    arm: "AES-256-CTR by WebGPU over AES-256-GCM by 1 worker",
    value: gpuSpeedup,
  };
  return [ofMemory("least", Math.min(...memory)), ofMemory("most", Math.max(...memory)), gain];
}

/** Every batch beside the paper's on a GPU; the largest also beside its CPU where one worker or process has it. */
function beside({ arm, images, runs }: Measured): OurFigure[] {
  const value = round(
    quantile(
      runs.map(({ ms }) => ms),
      0.5,
    ) / 1000,
    5,
  );
  const of = { arm: `${arm.scheme}, ${arm.by}`, value };
  const onGpu = { figure: figureKey("gpu", arm.paper, String(images)), ...of };
  if (images !== IMAGES.at(-1) || !arm.by.startsWith("1 ")) return [onGpu];
  return [onGpu, { figure: figureKey("cpu-50000", arm.paper, "time"), ...of }];
}

function summary(measured: readonly Measured[], gpuAdapter: string) {
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
