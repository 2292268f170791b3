import { importBaseKey, random } from "@sealcast/crypto";
import { ManualClock, milli } from "@sealcast/time";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { FromSealingWorker, ToSealingWorker } from "../shared/chunk.ts";
import { aesGcm, counterOf, SealingWorker } from "../worker/chunk/chunk.ts";
import { measurePlan } from "./chunk-plan.ts";
import { ChunkPool, type SealedPayload } from "./chunks.ts";

const PLAN = { splitFrom: 64, chunkBytes: 32 };
const RUNS = Number(process.env.FUZZ_SLOW_RUNS ?? 30);

let baseKey: CryptoKey;

beforeAll(async () => {
  baseKey = await importBaseKey(random(32));
});

/** A chunk worker on this thread, whose messages go both ways through structured clones as a real one's do. */
class FakeWorker extends EventTarget {
  readonly asked: ToSealingWorker[] = [];
  readonly results: (() => void)[] = [];
  readonly #held: boolean;
  readonly #worker: SealingWorker;
  alive = true;

  /** `held`: results wait in `results` until they are called. */
  constructor(held = false, cipherOf = aesGcm) {
    super();
    this.#held = held;
    this.#worker = new SealingWorker(cipherOf, (message, transfer) => this.#tell(message, transfer));
  }

  postMessage(message: ToSealingWorker, transfer: Transferable[]): void {
    this.asked.push(message);
    this.#worker.hear(structuredClone(message, { transfer })).catch(() => this.crash());
  }

  terminate(): void {
    this.alive = false;
  }

  crash(): void {
    this.alive = false;
    this.dispatchEvent(new Event("error"));
  }

  #tell(message: FromSealingWorker, transfer: Transferable[]): void {
    const data = structuredClone(message, { transfer });
    const deliver = () => this.alive && this.dispatchEvent(new MessageEvent("message", { data }));
    if (this.#held && data.type === "done") this.results.push(deliver);
    else queueMicrotask(deliver);
  }
}

/** A worker that loads and dies of the first thing it is told. */
class FailingWorker extends FakeWorker {
  override postMessage(): void {
    queueMicrotask(() => this.crash());
  }
}

/** A worker whose script does not load. */
function spawnStillborn(): Worker {
  const worker = new EventTarget();
  const postMessage = () => queueMicrotask(() => worker.dispatchEvent(new Event("error")));
  return Object.assign(worker, { postMessage, terminate() {} }) as unknown as Worker;
}

function workersOf(make: () => FakeWorker = () => new FakeWorker()) {
  const workers: FakeWorker[] = [];
  const spawn = () => {
    const next = make();
    workers.push(next);
    return next as unknown as Worker;
  };
  return { workers, spawn };
}

function poolOf(size: number, make?: () => FakeWorker, clock = new ManualClock()) {
  const { workers, spawn } = workersOf(make);
  const pool = new ChunkPool(spawn, baseKey, { size: { least: size, most: size }, plan: PLAN, clock });
  return { pool, workers, clock };
}

function payloadOf(length: number): ArrayBuffer {
  return Uint8Array.from({ length }, (_, i) => i * 7 + (i >> 8)).buffer;
}

function bytes(buffer: ArrayBuffer | null): Uint8Array | null {
  return buffer && new Uint8Array(buffer);
}

function works(workers: readonly FakeWorker[]) {
  return workers.flatMap(({ asked }) => asked.flatMap((message) => (message.type === "work" ? [message.work] : [])));
}

/** Lets results out one by one, in the order that `pick` says, until `done`. */
async function release<T>(workers: readonly FakeWorker[], done: Promise<T>, pick: (of: number) => number): Promise<T> {
  let settled = false;
  const end = () => {
    settled = true;
  };
  done.then(end, end);
  while (!settled) {
    const held = workers.flatMap(({ results }) => results.map((_, at) => ({ results, at })));
    const next = held[pick(held.length)];
    if (next !== undefined) next.results.splice(next.at, 1)[0]?.();
    await new Promise(setImmediate);
  }
  return done;
}

describe("a payload", () => {
  it.each([0, 1, 63, 64, 65, 100, 320, 321])("of %i bytes comes back as it was", async (length) => {
    const { pool } = poolOf(2);
    const payload = payloadOf(length);
    const sealed = await pool.seal(payload, 40_000);
    expect(bytes(await pool.open(sealed))).toEqual(bytes(payload));
    expect(sealed.timestamp).toBe(40_000);
  });

  it("in shared memory is the same to its reader, and stays the caller's", async () => {
    const { pool, workers } = poolOf(2);
    const shared = new SharedArrayBuffer(300);
    new Uint8Array(shared).set(new Uint8Array(payloadOf(300)));
    const opened = await pool.open(await pool.seal(shared));
    expect(bytes(opened)).toEqual(new Uint8Array(payloadOf(300)));
    expect(works(workers).some(({ from }) => from === shared)).toBe(true);
  });

  it("is opened by another pool with the same base key, and by none with another", async () => {
    const sealed = await poolOf(1).pool.seal(payloadOf(200));
    expect(bytes(await poolOf(1).pool.open(sealed))).toEqual(bytes(payloadOf(200)));
    const { spawn } = workersOf();
    const stranger = new ChunkPool(spawn, await importBaseKey(random(32)), { size: { least: 1, most: 1 }, plan: PLAN });
    expect(await stranger.open(sealed)).toBeNull();
  });

  it("keeps its order whatever order its chunks are done in", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat()), async (size, choices) => {
        const { pool, workers } = poolOf(size, () => new FakeWorker(true));
        const pick = (of: number) => (choices.next().value ?? 0) % Math.max(of, 1);
        const both = Promise.all([pool.seal(payloadOf(320)), pool.seal(payloadOf(200))]);
        const [one, two] = await release(workers, both, pick);
        const opened = Promise.all([pool.open(two), pool.open(one)]);
        expect((await release(workers, opened, pick)).map(bytes)).toEqual([payloadOf(200), payloadOf(320)].map(bytes));
      }),
      { numRuns: RUNS },
    );
  });

  it("with a timestamp that is no whole number is not sealed", async () => {
    await expect(poolOf(1).pool.seal(payloadOf(1), 0.5)).rejects.toThrow(RangeError);
  });
});

describe("every chunk", () => {
  it("has a nonce of its own, in its payload, its pool and beside other pools", async () => {
    const pools = [poolOf(1), poolOf(3), poolOf(2)];
    for (const { pool } of pools)
      await Promise.all([pool.seal(payloadOf(320)), pool.seal(payloadOf(10)), pool.seal(payloadOf(200))]);
    const seals = works(pools.flatMap(({ workers }) => workers)).filter(({ side }) => side === "seal");
    const under = seals.map(({ session, tag }) => `${session} ${counterOf(tag)}`);
    expect(under).toHaveLength(3 * (10 + 1 + 7));
    expect(new Set(under).size).toBe(under.length);
  });
});

describe("a sealed payload is refused", () => {
  const changed: [string, (sealed: SealedPayload) => SealedPayload][] = [
    ["cut short at its end", (sealed) => ({ ...sealed, chunks: sealed.chunks.slice(0, -1) })],
    ["cut short at its start", (sealed) => ({ ...sealed, chunks: sealed.chunks.slice(1) })],
    ["without chunks", (sealed) => ({ ...sealed, chunks: [] })],
    [
      "with two chunks exchanged",
      ({ chunks: [a, b, ...rest], ...sealed }) => ({ ...sealed, chunks: [b!, a!, ...rest] }),
    ],
    ["with a chunk twice", (sealed) => ({ ...sealed, chunks: [sealed.chunks[0]!, ...sealed.chunks] })],
    [
      "with one in another's place",
      ({ chunks: [a, , ...rest], ...sealed }) => ({ ...sealed, chunks: [a!, a!, ...rest] }),
    ],
    [
      "with a chunk shortened",
      ({ chunks: [a, ...rest], ...sealed }) => ({ ...sealed, chunks: [a!.slice(1), ...rest] }),
    ],
    [
      "with an empty chunk",
      ({ chunks: [, ...rest], ...sealed }) => ({ ...sealed, chunks: [new ArrayBuffer(), ...rest] }),
    ],
    ["under another number", (sealed) => ({ ...sealed, frame: sealed.frame + 1 })],
    ["under a number that is none", (sealed) => ({ ...sealed, frame: -1 })],
    ["under a number that no counter holds", (sealed) => ({ ...sealed, frame: 2 ** 44 })],
    ["with another time", (sealed) => ({ ...sealed, timestamp: sealed.timestamp + 1 })],
    ["as of another session", (sealed) => ({ ...sealed, session: sealed.session ^ 1n })],
    ["as of a session that is none", (sealed) => ({ ...sealed, session: 2n ** 64n })],
  ];

  it.each(changed)("%s", async (_, change) => {
    const { pool } = poolOf(2);
    const sealed = await pool.seal(payloadOf(320), 7);
    expect(await pool.open(change(sealed))).toBeNull();
    expect(await pool.open(sealed)).not.toBeNull();
  });

  it("with a chunk of another payload", async () => {
    const { pool } = poolOf(2);
    const [one, two] = await Promise.all([pool.seal(payloadOf(320)), pool.seal(payloadOf(320))]);
    expect(await pool.open({ ...one, chunks: [two.chunks[0]!, ...one.chunks.slice(1)] })).toBeNull();
  });

  it("with any one byte changed", async () => {
    const { pool } = poolOf(1);
    const sealed = await pool.seal(payloadOf(64));
    for (const [at, chunk] of sealed.chunks.entries())
      for (let byte = 0; byte < chunk.byteLength; byte++) {
        const altered = new Uint8Array(chunk.slice());
        altered[byte] = (altered[byte] ?? 0) ^ 1;
        expect(await pool.open({ ...sealed, chunks: sealed.chunks.with(at, altered.buffer) })).toBeNull();
      }
  });
});

describe("a worker that dies", () => {
  it("by an error is replaced, and its chunks are done by others", async () => {
    let made = 0;
    const { pool, workers } = poolOf(2, () => new FakeWorker(made++ === 0));
    const sealing = pool.seal(payloadOf(320));
    await expect.poll(() => workers[0]?.results.length).toBe(2);
    workers[0]?.crash();
    expect(bytes(await pool.open(await sealing))).toEqual(bytes(payloadOf(320)));
    expect(workers.map(({ alive }) => alive)).toEqual([false, true, true]);
  });

  it("without a word is found out by its silence", async () => {
    let made = 0;
    const { pool, workers, clock } = poolOf(1, () => new FakeWorker(made++ === 0));
    const sealing = pool.seal(payloadOf(320));
    await expect.poll(() => workers[0]?.results.length).toBe(2);
    clock.advance(milli(4_999));
    expect(workers).toHaveLength(1);
    clock.advance(milli(1));
    expect(bytes(await pool.open(await sealing))).toEqual(bytes(payloadOf(320)));
    expect(workers[0]?.alive).toBe(false);
  });

  it("over and over fails the payload instead of going on for ever", async () => {
    const { pool, workers } = poolOf(1, () => new FakeWorker(true));
    const sealing = pool.seal(payloadOf(10));
    const outcome = expect(sealing).rejects.toMatchObject({ code: "workers-fail" });
    for (let life = 0; life < 3; life++) {
      await expect.poll(() => workers[life]?.results.length).toBe(1);
      workers[life]?.crash();
    }
    await outcome;
  });

  it.each([
    ["before it is ready", spawnStillborn],
    ["as soon as it is ready", workersOf(() => new FailingWorker()).spawn],
    ["of whatever work it is given", workersOf(() => new FakeWorker(false, () => Promise.reject(new Error()))).spawn],
  ])("%s fails what waits, and is not started for ever", async (_, spawn) => {
    const size = { least: 1, most: 2 };
    const pool = new ChunkPool(spawn, baseKey, { size, plan: PLAN });
    await expect(pool.seal(payloadOf(10))).rejects.toMatchObject({ code: "workers-fail" });
    await expect(new ChunkPool(spawn, baseKey, { size }).plan).rejects.toMatchObject({ code: "workers-fail" });
  });
});

describe("the pool", () => {
  it("grows while work waits and shrinks when none has come for a while", async () => {
    const { workers, spawn } = workersOf();
    const clock = new ManualClock();
    const pool = new ChunkPool(spawn, baseKey, { size: { least: 1, most: 3 }, plan: PLAN, clock });
    expect(workers).toHaveLength(1);
    await Promise.all([pool.seal(payloadOf(320)), pool.seal(payloadOf(320))]);
    expect(workers).toHaveLength(3);
    clock.advance(milli(60_000));
    expect(workers.filter(({ alive }) => alive)).toHaveLength(1);
    expect(bytes(await pool.open(await pool.seal(payloadOf(320))))).toEqual(bytes(payloadOf(320)));
  });

  it("holds at most two chunks a worker: the rest waits for the first worker that is idle", async () => {
    const { pool, workers } = poolOf(2, () => new FakeWorker(true));
    const sealing = pool.seal(payloadOf(320));
    const outcome = expect(sealing).rejects.toMatchObject({ code: "closed" });
    await expect.poll(() => workers.map(({ results }) => results.length)).toEqual([2, 2]);
    workers[1]?.results.shift()?.();
    await expect.poll(() => workers.map(({ asked }) => asked.length - 1)).toEqual([2, 3]);
    pool.close();
    await outcome;
    await expect(pool.seal(payloadOf(10))).rejects.toMatchObject({ code: "closed" });
    expect(workers.some(({ alive }) => alive)).toBe(false);
  });
});

describe("the plan", () => {
  /** A machine whose chunks cost a hop each and whose two workers share what there is. */
  const machine = (hop: number, perKib: number) => async (of: number, chunkBytes: number) => {
    const chunks = Math.ceil(of / chunkBytes);
    const rounds = Math.ceil(chunks / 2);
    return milli(chunks * hop + rounds * Math.min(chunkBytes, of) * (perKib / 1024));
  };

  it("splits from the size on at which two workers are faster than one", async () => {
    // Halving saves half of perKib * size and costs one more hop: it pays above 2 * hop / perKib = 300 KiB.
    expect(await measurePlan(machine(150, 1))).toMatchObject({ splitFrom: 512 * 1024 });
    expect(await measurePlan(machine(10, 1))).toMatchObject({ splitFrom: 128 * 1024 });
    expect(await measurePlan(machine(10_000, 1))).toMatchObject({ splitFrom: 2048 * 1024 });
  });

  it("takes the longest chunks where hops are dear and the shortest where memory is", async () => {
    expect(await measurePlan(machine(100, 1))).toMatchObject({ chunkBytes: 512 * 1024 });
    const cold = async (_: number, chunkBytes: number) => milli(chunkBytes);
    expect(await measurePlan(cold)).toMatchObject({ chunkBytes: 64 * 1024 });
  });

  it("is measured when the pool is made, and nothing below its threshold is split", async () => {
    const { spawn } = workersOf();
    const pool = new ChunkPool(spawn, baseKey, { size: { least: 2, most: 2 } });
    const { splitFrom, chunkBytes } = await pool.plan;
    expect((await pool.seal(payloadOf(splitFrom - 1))).chunks).toHaveLength(1);
    const { chunks } = await pool.seal(payloadOf(splitFrom));
    expect(chunks.length).toBeGreaterThan(1);
    expect(Math.max(...chunks.map((chunk) => chunk.byteLength - 16))).toBeLessThanOrEqual(chunkBytes);
    pool.close();
  });
});
