import { type ChildProcess, spawn } from "node:child_process";
import { cpus } from "node:os";
import type { CommandBench, Experiment, Row } from "../../command/experiment.ts";
import { balanced } from "../../src/shared/balance.ts";
import { quantile } from "../../src/shared/statistics.ts";

const CAMERA = { width: 1280, height: 720, bitsPerSecond: 2_000_000 };
/** Raw pictures are large, and the same ones come again. */
const PICTURES = 60;
const CODECS = ["vp8", "vp9", "h264", "av1"] as const;
const AROUND = ["alone", "beside others"] as const;

interface Pass {
  readonly codec: (typeof CODECS)[number];
  readonly around: (typeof AROUND)[number];
  /** Of each frame: until it was encoded, and CPU of all threads. */
  readonly ms: number;
  readonly cpuMs: number;
  readonly mbitPerS: number;
}

/**
 * The fan-out's encoder by codec, on a machine that has nothing else to do and on one where a process for each core and one
 * more compete with it. Chromium gives VP8, VP9 and AV1 several threads that wait for each other by spinning.
 */
export const encoders: Experiment = {
  async run(bench) {
    await bench.ask("record", { ...CAMERA, frames: PICTURES });
    await bench.ask("decode", PICTURES);
    const passes: Pass[] = [];
    for (const order of balanced(AROUND, bench.quick ? 2 : 6))
      for (const around of order)
        for (const codec of CODECS) {
          const pass = await (around === "alone"
            ? encoded(bench, codec, around)
            : beside(() => encoded(bench, codec, around)));
          passes.push(pass);
          bench.say(JSON.stringify(pass));
        }
    const rows = CODECS.flatMap((codec) => AROUND.map((around) => row(passes, codec, around)));
    return { rows, summary: summary(passes) };
  },
};

async function encoded(bench: CommandBench, codec: Pass["codec"], around: Pass["around"]): Promise<Pass> {
  const frames = bench.quick ? 60 : 150;
  const before = await bench.cpuSeconds();
  const { ms, bytes } = await bench.ask("encodePass", { ...CAMERA, mimeType: `video/${codec}`, frames });
  const cpuMs = 1_000 * ((await bench.cpuSeconds()) - before);
  return { codec, around, ms: ms / frames, cpuMs: cpuMs / frames, mbitPerS: (8 * bytes * 30) / frames / 1_000_000 };
}

/** While processes of nobody's keep all cores busy. */
async function beside<T>(work: () => Promise<T>): Promise<T> {
  const busy: ChildProcess[] = Array.from({ length: cpus().length + 1 }, () =>
    spawn(process.execPath, ["-e", "for (;;);"]),
  );
  try {
    return await work();
  } finally {
    for (const process of busy) process.kill();
  }
}

function row(passes: readonly Pass[], codec: Pass["codec"], around: Pass["around"]): Row {
  const of = passes.filter((pass) => pass.codec === codec && pass.around === around);
  const median = (field: "ms" | "cpuMs" | "mbitPerS") => Number(medianOf(of, field).toFixed(1));
  return { codec, around, ms: median("ms"), cpuMs: median("cpuMs"), mbitPerS: median("mbitPerS"), passes: of.length };
}

/** CPU milliseconds a frame. */
function summary(passes: readonly Pass[]): Record<string, number> {
  const cpuMs = (codec: Pass["codec"], around: Pass["around"]) =>
    Number(
      medianOf(
        passes.filter((pass) => pass.codec === codec && pass.around === around),
        "cpuMs",
      ).toFixed(1),
    );
  return Object.fromEntries(
    CODECS.flatMap((codec) => [
      [`${codec}CpuMs`, cpuMs(codec, "alone")],
      [`${codec}BusyCpuMs`, cpuMs(codec, "beside others")],
    ]),
  );
}

function medianOf(passes: readonly Pass[], field: "ms" | "cpuMs" | "mbitPerS"): number {
  return quantile(
    passes.map((pass) => pass[field]),
    0.5,
  );
}
