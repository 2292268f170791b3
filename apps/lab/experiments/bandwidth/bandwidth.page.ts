import type { RecordedFrame } from "../../src/shared/replay.ts";
import type { BandwidthPage, BandwidthRequest, BurstTimes, PageCipher, PointRun } from "./bandwidth.ts";

/** The page's part of the experiment. `recorded` gives the frames. */
export function bandwidth(recorded: () => readonly RecordedFrame[]): BandwidthPage {
  let worker: Worker | null = null;
  const ask = <Answer>(request: BandwidthRequest<PageCipher>): Promise<Answer> => {
    worker ??= spawn(recorded());
    return answerOf(worker, request);
  };
  return { packetBurst: ask<BurstTimes>, packetPoint: ask<PointRun> };
}

function spawn(recorded: readonly RecordedFrame[]): Worker {
  const worker = new Worker(new URL("./bandwidth.worker.ts", import.meta.url), { type: "module" });
  worker.postMessage(recorded.map(({ data }) => new Uint8Array(data)));
  return worker;
}

function answerOf<Answer>(worker: Worker, request: BandwidthRequest<PageCipher>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(`a worker failed: ${message}`));
    worker.postMessage(request);
  });
}
