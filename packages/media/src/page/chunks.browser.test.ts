import { importBaseKey, random } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import { beforeAll, expect, it } from "vitest";
import { ChunkPool } from "./chunks.ts";

const LENGTH = 3_110_400;
const PLAN = { splitFrom: 1, chunkBytes: 262_144 };

let baseKey: CryptoKey;
let payload: SharedArrayBuffer;

beforeAll(async () => {
  baseKey = await importBaseKey(random(32));
  payload = new SharedArrayBuffer(LENGTH);
  new Uint8Array(payload).forEach((_, i, bytes) => {
    bytes[i] = i * 31;
  });
});

function spawn(): Worker {
  return new Worker(new URL("../worker/chunk/chunk.worker.ts", import.meta.url), { type: "module" });
}

function isPayload(opened: ArrayBuffer | null): boolean {
  const original = new Uint8Array(payload);
  return opened?.byteLength === LENGTH && new Uint8Array(opened).every((byte, i) => byte === original[i]);
}

it("a raw picture goes through real workers and comes back, cut as this machine measured", async () => {
  const pool = new ChunkPool(spawn, baseKey, { size: { least: 2, most: 2 } });
  const { chunkBytes } = await pool.plan;
  const sealed = await pool.seal(payload);
  expect(sealed.chunks).toHaveLength(Math.ceil(LENGTH / chunkBytes));
  expect(isPayload(await pool.open(sealed))).toBe(true);
  pool.close();
});

it("a worker that is ended in the middle of its work is replaced, and nothing is missing", async () => {
  const clock = new ManualClock();
  const workers: Worker[] = [];
  const spawnListed = () => {
    const worker = spawn();
    workers.push(worker);
    return worker;
  };
  const pool = new ChunkPool(spawnListed, baseKey, { size: { least: 1, most: 1 }, plan: PLAN, clock });
  const sealing = pool.seal(payload);
  // Ready, and by now with two chunks.
  await new Promise((ready) => workers[0]?.addEventListener("message", ready, { once: true }));
  workers[0]?.terminate();
  clock.advance(milli(5_000));
  expect(workers).toHaveLength(2);
  expect(isPayload(await pool.open(await sealing))).toBe(true);
  pool.close();
});
