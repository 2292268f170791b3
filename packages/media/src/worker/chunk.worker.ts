import type { FromChunk, ToChunk } from "../shared/chunk.ts";
import { aesGcm, ChunkWorker } from "./chunk.ts";

declare const self: DedicatedWorkerGlobalScope;

const worker = new ChunkWorker(aesGcm, (message: FromChunk, transfer) => self.postMessage(message, transfer));

// The page hears of errors, but not of rejected promises.
self.addEventListener("message", ({ data }: MessageEvent<ToChunk>) => void worker.hear(data).catch(reportError));
