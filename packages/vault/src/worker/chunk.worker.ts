import type { ToChunk } from "../shared/chunk-job.ts";
import { ChunkWorker } from "./chunk-worker.ts";

// The page hands over a port to the vault worker, and knows nothing of the jobs.
addEventListener("message", ({ data: port }: MessageEvent<MessagePort>) => {
  const worker = new ChunkWorker((message, transfer) => port.postMessage(message, transfer));
  port.onmessage = ({ data }: MessageEvent<ToChunk>) => void worker.hear(data);
});
