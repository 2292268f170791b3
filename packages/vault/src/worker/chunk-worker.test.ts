import { expect, test } from "vitest";
import type { FromChunk } from "../shared/chunk-job.ts";
import { runChunkJob } from "./chunk-pool.ts";
import { ChunkWorker } from "./chunk-worker.ts";
import "./opfs.cases.ts";

test("a file that cannot be flushed ends the job, once, and is closed", async () => {
  const did: string[] = [];
  const file = {
    write: (bytes: Uint8Array) => bytes.length,
    close: () => did.push("close"),
    flush() {
      did.push("flush");
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  const payload = { createSyncAccessHandle: async () => file } as unknown as FileSystemFileHandle;
  const port = { postMessage: (message: never) => void worker.hear(message) } as unknown as MessagePort;
  const worker = new ChunkWorker((data: FromChunk) => port.onmessage?.({ data } as MessageEvent));
  const done = runChunkJob([port], {
    source: { type: "plain", blob: new Blob([new Uint8Array(100)]) },
    target: { type: "sealed", payload, fileKey: new Uint8Array(16), nonce: new Uint8Array(16), isShared: false },
    bytes: 100,
    onProgress: () => undefined,
    onRange: () => undefined,
  });
  await expect(done).rejects.toThrow("QuotaExceededError");
  expect(did).toEqual(["flush", "close"]);
});
