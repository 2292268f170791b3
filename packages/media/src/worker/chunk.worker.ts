import type { FromChunk, ToChunk } from "../shared/chunk.ts";
import { aesGcm, ChunkWorker } from "./chunk.ts";

declare const self: DedicatedWorkerGlobalScope;

const worker = new ChunkWorker(aesGcm, (message: FromChunk, transfer) => self.postMessage(message, transfer));

self.addEventListener("message", ({ data }: MessageEvent<ToChunk>) => worker.hear(data));
