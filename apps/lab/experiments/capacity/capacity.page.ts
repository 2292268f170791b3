import type { ProductName, ReplayStep, Residence } from "../../src/shared/lab.ts";
import type { RecordedFrame, ReplayDone, ReplayJob } from "../../src/shared/replay.ts";

const spawn: Record<ProductName, () => Worker> = {
  sealcast: () => new Worker(new URL("./sealcast.worker.ts", import.meta.url), { type: "module" }),
  livekit: () => new Worker(new URL("./livekit.worker.ts", import.meta.url), { type: "module" }),
};

/** Replays the tracks on fresh workers, as evenly placed as the product's pool places them. */
export async function replay(frames: RecordedFrame[], step: ReplayStep): Promise<Residence> {
  const { product, workers, tracks, warmUp, ms } = step;
  const shares = Array.from({ length: workers }, (_, i) => Math.floor((tracks + i) / workers)).filter((n) => n > 0);
  const parts = await Promise.all(
    shares.map((share) => replayOn(spawn[product](), { frames, tracks: share, warmUp, ms })),
  );
  const residences = new Float64Array(parts.flatMap((part) => [...part])).sort();
  const quantile = (q: number) => residences[Math.ceil(q * residences.length) - 1] ?? Number.POSITIVE_INFINITY;
  return { p50: quantile(0.5), p95: quantile(0.95), lost: residences.filter((ms) => ms === Infinity).length };
}

async function replayOn(worker: Worker, job: ReplayJob): Promise<Float64Array> {
  try {
    return await new Promise((resolve, reject) => {
      worker.addEventListener("message", ({ data }: MessageEvent<ReplayDone | { type?: never }>) => {
        if (data.type === "replayed") resolve(data.residences);
      });
      worker.addEventListener("error", ({ message }) => reject(new Error(`a replaying worker failed: ${message}`)));
      worker.postMessage(job);
    });
  } finally {
    worker.terminate();
  }
}
