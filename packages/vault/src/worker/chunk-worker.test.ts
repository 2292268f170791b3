import { equal } from "@sealcast/bytes";
import { describe, expect, test } from "vitest";
import type { FromChunk, JobSource, JobTarget } from "../shared/chunk-job.ts";
import { CHUNK_BYTES } from "../shared/payload.ts";
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
  const error = await sealed(file, 100).catch((error: unknown) => error);
  expect(error).toMatchObject({ code: "internal", message: expect.stringContaining("QuotaExceededError") });
  expect(did).toEqual(["flush", "close"]);
});

test.each([
  [true, [{ mode: "readwrite-unsafe" }]],
  [false, []],
])("whether others write the file too (%s) is how it is opened", async (isShared, expected) => {
  const file = { write: (bytes: Uint8Array) => bytes.length, flush: () => undefined, close: () => undefined };
  const modes: unknown[] = [];
  await sealed(file, 100, { isShared, onOpen: (...mode) => modes.push(...mode) });
  expect(modes).toEqual(expected);
});

describe("a chunk worker", () => {
  const MEMORY: JobTarget = { type: "memory" };
  const text = Uint8Array.from({ length: 2 * CHUNK_BYTES + 100 }, (_, i) => i >> 10);
  const plain: JobSource = { type: "plain", blob: new Blob([text]) };

  function working(): { worker: ChunkWorker; told: FromChunk[]; transferred: Transferable[] } {
    const [told, transferred]: [FromChunk[], Transferable[]] = [[], []];
    const worker = new ChunkWorker((message, transfer) => {
      told.push(message);
      transferred.push(...transfer);
    });
    return { worker, told, transferred };
  }

  test("gives the ranges that it is asked for, the last as long as the file is, and gives their bytes away", async () => {
    const { worker, told, transferred } = working();
    await worker.hear({ type: "job", source: plain, target: MEMORY, bytes: text.length });
    await worker.hear({ type: "range", first: 1, count: 1 });
    await worker.hear({ type: "range", first: 1, count: 5 });
    await worker.hear({ type: "end" });
    expect(told.map(({ type }) => type)).toEqual(["ready", "range", "range", "ended"]);
    const given = told.flatMap((message) => (message.type === "range" ? [message.bytes] : []));
    const asked = [text.subarray(CHUNK_BYTES, 2 * CHUNK_BYTES), text.subarray(CHUNK_BYTES)];
    expect(given.map((bytes, i) => equal(bytes, asked[i]!))).toEqual([true, true]);
    expect(transferred).toEqual(given.map(({ buffer }) => buffer));
  });

  test("reads nothing behind the end of a file", async () => {
    const { worker } = working();
    const slices: number[][] = [];
    const blob = { size: text.length, slice: (...range: number[]) => slices.push(range) && new Blob() };
    const source: JobSource = { type: "plain", blob: blob as unknown as Blob };
    await worker.hear({ type: "job", source, target: MEMORY, bytes: text.length });
    await worker.hear({ type: "range", first: 1, count: 5 });
    expect(slices).toEqual([[CHUNK_BYTES, text.length]]);
  });

  test("refuses a range without a job, and one without the bytes that its job was to bring", async () => {
    const { worker, told, transferred } = working();
    await worker.hear({ type: "range", first: 0, count: 1 });
    await worker.hear({ type: "job", source: { type: "given" }, target: MEMORY, bytes: 1 });
    await worker.hear({ type: "range", first: 0, count: 1 });
    expect(told).toEqual([
      { type: "failed", code: "internal", message: "A range came without a job." },
      { type: "ready" },
      { type: "failed", code: "internal", message: "A range came without its bytes." },
    ]);
    expect(transferred).toEqual([]);
  });

  test("begins no job before the ranges of the one before are done", async () => {
    const { worker, told } = working();
    let read = (_: ArrayBuffer): void => undefined;
    const slow = { size: 1, slice: () => ({ arrayBuffer: () => new Promise<ArrayBuffer>((done) => (read = done)) }) };
    await worker.hear({
      type: "job",
      source: { type: "plain", blob: slow as unknown as Blob },
      target: MEMORY,
      bytes: 1,
    });
    const done = [worker.hear({ type: "range", first: 0, count: 1 }), worker.hear({ type: "end" })];
    await new Promise((next) => setTimeout(next));
    read(Uint8Array.of(7).buffer);
    await Promise.all(done);
    expect(told.map(({ type }) => type)).toEqual(["ready", "range", "ended"]);
  });
});

interface Opening {
  readonly isShared: boolean;
  onOpen(...mode: unknown[]): void;
}

/** Has one worker seal this many bytes into a file. */
function sealed(
  file: unknown,
  bytes: number,
  { isShared, onOpen }: Opening = { isShared: false, onOpen: () => undefined },
): Promise<void> {
  const createSyncAccessHandle = async (...mode: unknown[]) => {
    onOpen(...mode);
    return file;
  };
  const payload = { createSyncAccessHandle } as unknown as FileSystemFileHandle;
  const port = { postMessage: (message: never) => void worker.hear(message) } as unknown as MessagePort;
  const worker = new ChunkWorker((data: FromChunk) => port.onmessage?.({ data } as MessageEvent));
  return runChunkJob([port], {
    source: { type: "plain", blob: new Blob([new Uint8Array(bytes)]) },
    target: { type: "sealed", payload, fileKey: new Uint8Array(16), nonce: new Uint8Array(16), isShared },
    bytes,
    onProgress: () => undefined,
    onRange: () => undefined,
  });
}
