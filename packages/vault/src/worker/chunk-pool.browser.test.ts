import { type Clock, ManualClock, milli } from "@sealcast/time";
import { describe, expect, it } from "vitest";
import type { FromChunk, ToChunk } from "../shared/chunk-job.ts";
import { VaultError } from "../shared/error.ts";
import { CHUNK_BYTES } from "../shared/payload.ts";
import { type ChunkJob, runChunkJob } from "./chunk-pool.ts";

/** Stands for a chunk worker behind a port; `failAt`: the first chunk of the range that it cannot do. */
function worker(failAt: number | null) {
  const { port1, port2 } = new MessageChannel();
  const heard: string[] = [];
  const first: number[] = [];
  const plain: (Uint8Array | undefined)[] = [];
  const tell = (message: FromChunk) => port2.postMessage(message);
  port2.onmessage = ({ data }: MessageEvent<ToChunk>) => {
    heard.push(data.type);
    if (data.type === "job") return tell({ type: "ready" });
    if (data.type === "end") return tell({ type: "ended" });
    first.push(data.first);
    plain.push(data.plain);
    if (data.first === failAt) return tell({ type: "failed", code: "storage-full", message: "full" });
    tell({ type: "range", first: data.first, count: data.count, bytes: new Uint8Array(1) });
  };
  return { port: port1, heard, first, plain };
}

const BLOB = { type: "plain", blob: new Blob() } as const;

function run(ports: readonly MessagePort[], bytes: number, source: ChunkJob["source"] = BLOB, clock?: Clock) {
  const ranges: number[] = [];
  const job = {
    source,
    target: { type: "memory" },
    bytes,
    onProgress: () => undefined,
    onRange: (first: number) => void ranges.push(first),
  } as const;
  return { done: runChunkJob(ports, job, clock), ranges };
}

describe("a job that is shared out over workers", () => {
  it("gives each range to one of them, once", async () => {
    const workers = [worker(null), worker(null), worker(null)];
    const { done, ranges } = run(
      workers.map(({ port }) => port),
      (8 * 20 + 1) * CHUNK_BYTES,
    );
    await done;
    const all = Array.from({ length: 21 }, (_, i) => 8 * i);
    expect(ranges.toSorted((a, b) => a - b)).toEqual(all);
    expect(workers.flatMap(({ first }) => first).toSorted((a, b) => a - b)).toEqual(all);
    for (const { port } of workers) port.close();
  });

  it("ends with the fault of one, once all have freed their files, and begins nothing more", async () => {
    const workers = [worker(null), worker(128)];
    const other = worker(128);
    const { done } = run(
      [workers[0]?.port ?? other.port, workers[1]?.port ?? other.port, other.port],
      8 * 5_000 * CHUNK_BYTES,
    );
    await expect(done).rejects.toMatchObject({ code: "storage-full" });
    for (const { heard } of [...workers, other]) expect(heard.at(-1)).toBe("end");
    expect(workers.flatMap(({ first }) => first).length).toBeLessThan(1_000);
    for (const { port } of [...workers, other]) port.close();
  });

  it("ends where a worker says nothing for half a minute", async () => {
    const clock = new ManualClock();
    const { port1, port2 } = new MessageChannel();
    const { done } = run([port1], CHUNK_BYTES, BLOB, clock);
    expect(clock.advance(milli(29_999))).toBe(false);
    clock.advance(milli(1));
    await expect(done).rejects.toMatchObject({ code: "internal", message: expect.stringContaining("stopped") });
    port2.close();
  });

  it("hands out the bytes that it is given, each range with its own", async () => {
    const bytes = 9 * CHUNK_BYTES + 5;
    const read = async (at: number, length: number) => new Uint8Array(length).fill(at / CHUNK_BYTES);
    const one = worker(null);
    await run([one.port], bytes, { type: "given", read }).done;
    const [first, second] = one.plain;
    expect([first?.length, first?.[0]]).toEqual([8 * CHUNK_BYTES, 0]);
    expect([second?.length, second?.[0]]).toEqual([CHUNK_BYTES + 5, 8]);
    one.port.close();
  });

  it("ends with the fault of what it is given, once all have freed their files", async () => {
    const read = async (at: number) => {
      if (at > 40 * CHUNK_BYTES) throw new VaultError("tampered", "altered");
      return new Uint8Array(1);
    };
    const workers = [worker(null), worker(null)];
    const { done } = run(
      workers.map(({ port }) => port),
      8 * 5_000 * CHUNK_BYTES,
      { type: "given", read },
    );
    await expect(done).rejects.toMatchObject({ code: "tampered" });
    for (const { heard, port } of workers) {
      expect(heard.at(-1)).toBe("end");
      port.close();
    }
  });
});
