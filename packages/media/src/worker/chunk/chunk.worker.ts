import type { FromSealingWorker, ToSealingWorker } from "../../shared/chunk.ts";
import { aesGcm, SealingWorker } from "./chunk.ts";

declare const self: DedicatedWorkerGlobalScope;

const worker = new SealingWorker(aesGcm, (message: FromSealingWorker, transfer) => self.postMessage(message, transfer));

// The page hears of errors, but not of rejected promises.
self.addEventListener(
  "message",
  ({ data }: MessageEvent<ToSealingWorker>) => void worker.hear(data).catch(reportError),
);
