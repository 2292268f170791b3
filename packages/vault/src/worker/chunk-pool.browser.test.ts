import { describe, expect, it } from "vitest";
import type { FromChunk, ToChunk } from "../shared/chunk-job.ts";
import { CHUNK_BYTES } from "../shared/payload.ts";
import { runChunkJob } from "./chunk-pool.ts";

/** Stands for a chunk worker behind a port; `failAt`: the first chunk of the range that it cannot do. */
function worker(failAt: number | null): { port: MessagePort; heard: string[]; first: number[] } {
  const { port1, port2 } = new MessageChannel();
  const heard: string[] = [];
  const first: number[] = [];
  const tell = (message: FromChunk) => port2.postMessage(message);
  port2.onmessage = ({ data }: MessageEvent<ToChunk>) => {
    heard.push(data.type);
    if (data.type === "job") return tell({ type: "ready" });
    if (data.type === "end") return tell({ type: "ended" });
    first.push(data.first);
    if (data.first === failAt) return tell({ type: "failed", code: "storage-full", message: "full" });
    tell({ type: "range", first: data.first, count: data.count, bytes: new Uint8Array(1) });
  };
  return { port: port1, heard, first };
}

function run(ports: readonly MessagePort[], chunks: number): { done: Promise<void>; ranges: number[] } {
  const ranges: number[] = [];
  const job = {
    source: { type: "plain", blob: new Blob() },
    target: { type: "memory" },
    bytes: chunks * CHUNK_BYTES,
    onProgress: () => undefined,
    onRange: (first: number) => void ranges.push(first),
  } as const;
  return { done: runChunkJob(ports, job), ranges };
}

describe("a job that is shared out over workers", () => {
  it("gives each range to one of them, once", async () => {
    const workers = [worker(null), worker(null), worker(null)];
    const { done, ranges } = run(
      workers.map(({ port }) => port),
      64 * 20 + 1,
    );
    await done;
    const all = Array.from({ length: 21 }, (_, i) => 64 * i);
    expect(ranges.toSorted((a, b) => a - b)).toEqual(all);
    expect(workers.flatMap(({ first }) => first).toSorted((a, b) => a - b)).toEqual(all);
    for (const { port } of workers) port.close();
  });

  it("ends with the fault of one, once all have freed their files, and begins nothing more", async () => {
    const workers = [worker(null), worker(128)];
    const other = worker(128);
    const { done } = run([workers[0]?.port ?? other.port, workers[1]?.port ?? other.port, other.port], 64 * 5_000);
    await expect(done).rejects.toMatchObject({ code: "storage-full" });
    for (const { heard } of [...workers, other]) expect(heard.at(-1)).toBe("end");
    expect(workers.flatMap(({ first }) => first).length).toBeLessThan(1_000);
    for (const { port } of [...workers, other]) port.close();
  });
});
