import type { WorkerTimings } from "@sealcast/media";
import type { Stats } from "../peer/link-stats.ts";
import type { FigureWriter } from "./figure-writer.ts";
import type { MachineWatch } from "./machine.ts";
import type { TimedLink } from "./timing.ts";

/** How busy each of the pool's workers is, in their order; null of one that does not answer. */
export function workerLoads(figures: FigureWriter, workers: readonly (WorkerTimings | null)[]): void {
  for (const [at, worker] of workers.entries()) {
    if (worker === null) continue;
    const subject = `worker:${at + 1}`;
    const busy = figures.grew(`${subject} busy`, worker.busy) / figures.grew(`${subject} lived`, worker.lived);
    figures.note("cpu", subject, "busy", busy);
    const waits = figures.rolled(subject, worker.waits);
    for (const statistic of ["p50", "p95"] as const) figures.note("cpu", subject, "queue", waits[statistic], statistic);
  }
}

/** How many cores the browser's encoders and decoders take. `now` counts where there is nobody whose link was counted. */
export function codecLoads(figures: FigureWriter, peers: readonly TimedLink[], now: number): void {
  const stats = peers.flatMap((peer) => peer.stats.latest.entries);
  const seconds = figures.grew("page", peers.length > 0 ? figures.counted : now) / 1_000;
  const sum = (of: (entry: Stats) => number | undefined) => stats.reduce((total, entry) => total + (of(entry) ?? 0), 0);
  const encoding = sum(({ totalEncodeTime }) => totalEncodeTime);
  figures.note("cpu", "page", "encoders", figures.grew("encoders", encoding) / seconds);
  const decoding = sum(({ type, totalDecodeTime }) => (type === "inbound-rtp" ? totalDecodeTime : 0));
  const isCounted = !peers.some(({ lines }) => lines.some(({ pictures }) => pictures !== undefined));
  const decoders = isCounted ? figures.grew("decoders", decoding) / seconds : Number.NaN;
  figures.note("cpu", "page", "decoders", decoders);
}

export function machineLoad(
  figures: FigureWriter,
  { longTasks, memory, pressure }: ReturnType<MachineWatch["load"]>,
): void {
  for (const [name, value] of Object.entries({ "long-tasks": longTasks, memory })) {
    if (value === null) figures.state("cpu", "page", name, "untold");
    else figures.note("cpu", "page", name, value);
  }
  if (pressure !== null) figures.state("cpu", "page", "pressure", pressure);
}
