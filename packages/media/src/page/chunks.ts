import { random } from "@sealcast/crypto";
import { type Clock, milli, systemClock } from "@sealcast/time";
import type { ChunkTag, ChunkWork } from "../shared/chunk.ts";
import { type ChunkPlan, measurePlan } from "./chunk-plan.ts";
import { ChunkError, ChunkQueue, type PoolSize } from "./chunk-queue.ts";

/** A payload sealed chunk by chunk. All of it but the chunks' contents may be read, none of it changed. */
export interface SealedPayload {
  session: bigint;
  frame: number;
  /** Whole microseconds, as given to `seal`. */
  timestamp: number;
  /** In order; each is ciphertext and tag (16). */
  chunks: ArrayBuffer[];
}

interface Options {
  /** Default: from one worker up to one for every core. */
  size?: PoolSize;
  /** Default: measured when the pool is made. */
  plan?: ChunkPlan;
  clock?: Clock;
}

/** A counter holds both. */
const MAX_FRAMES = 2 ** 44;
const MAX_CHUNKS = 2 ** 20;

/**
 * Seals and opens large payloads (files, the lab's raw frames) in chunks over workers. Never for live frames: those
 * are sealed whole, by the worker that has the track. Owns its workers; `close` ends them.
 */
export class ChunkPool {
  readonly #queue: ChunkQueue;
  readonly #clock: Clock;
  readonly #session = new DataView(random(8).buffer).getBigUint64(0);
  #frames = 0;
  /** How payloads are cut. Rejects with ChunkError where no worker starts. */
  readonly plan: Promise<ChunkPlan>;

  /**
   * `spawn` starts a chunk worker. `baseKey` is what importBaseKey makes of 32 random bytes, for nothing but chunks; at
   * most 65,536 pools may seal under it, since each takes a random 64-bit session.
   */
  constructor(
    spawn: () => Worker,
    baseKey: CryptoKey,
    { size = everyCore(), plan, clock = systemClock }: Options = {},
  ) {
    this.#clock = clock;
    this.#queue = new ChunkQueue(spawn, baseKey, size, clock);
    this.plan = plan ? Promise.resolve(plan) : measurePlan((bytes, chunkBytes) => this.#time(bytes, chunkBytes));
    // Callers of `seal` get the error; a pool that is closed before has none.
    this.plan.catch(() => undefined);
  }

  /**
   * Seals a payload; it must not change until then. Workers read shared memory in place, which makes it the fastest
   * for large payloads; any other buffer is copied once. Rejects with ChunkError, or RangeError for a timestamp that is
   * not a whole number from 0.
   */
  async seal(payload: ArrayBuffer | SharedArrayBuffer, timestamp = 0): Promise<SealedPayload> {
    if (!isCount(timestamp)) throw new RangeError(`timestamp ${timestamp} is not a whole number from 0`);
    return this.#seal(payload, timestamp, await this.plan);
  }

  /** The payload; null: a chunk is missing, altered, out of place, or not of this payload. */
  async open({ session, frame, timestamp, chunks }: SealedPayload): Promise<ArrayBuffer | null> {
    const named = isCount(frame) && frame < MAX_FRAMES && isCount(timestamp) && BigInt.asUintN(64, session) === session;
    if (!named || chunks.length > MAX_CHUNKS) return null;
    const opened = await Promise.all(
      chunks.map((from, chunk) => {
        const tag = { frame, chunk, chunks: chunks.length, timestamp };
        return this.#queue.run({ side: "open", session, tag, from, at: 0, length: from.byteLength });
      }),
    );
    return together(opened);
  }

  close(): void {
    this.#queue.close();
  }

  async #seal(payload: ArrayBuffer | SharedArrayBuffer, timestamp: number, plan: ChunkPlan): Promise<SealedPayload> {
    const pieces = cut(payload.byteLength, plan);
    if (pieces.length > MAX_CHUNKS) throw new ChunkError("payload-too-large", "The payload has more than 2^20 chunks.");
    const frame = this.#frames++;
    const works = pieces.map(({ at, length }, chunk): ChunkWork => {
      const tag: ChunkTag = { frame, chunk, chunks: pieces.length, timestamp };
      return { side: "seal", session: this.#session, tag, from: payload, at, length };
    });
    const chunks = await Promise.all(works.map(async (work) => sealed(await this.#queue.run(work))));
    return { session: this.#session, frame, timestamp, chunks };
  }

  async #time(bytes: number, chunkBytes: number): Promise<ReturnType<Clock["now"]>> {
    const payload = new SharedArrayBuffer(bytes);
    const since = this.#clock.now();
    await this.#seal(payload, 0, { splitFrom: chunkBytes + 1, chunkBytes });
    return milli(this.#clock.now() - since);
  }
}

function everyCore(): PoolSize {
  return { least: 1, most: Math.max(navigator.hardwareConcurrency, 1) };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function sealed(chunk: ArrayBuffer | null): ArrayBuffer {
  if (chunk === null) throw new Error("sealing has no reason to refuse a chunk");
  return chunk;
}

/** As few chunks as may be, but two at least, of equal size. */
function cut(bytes: number, { splitFrom, chunkBytes }: ChunkPlan): { at: number; length: number }[] {
  const wanted = bytes < splitFrom ? 1 : Math.max(2, Math.ceil(bytes / chunkBytes));
  const size = Math.max(Math.ceil(bytes / wanted), 1);
  const pieces = Math.max(Math.ceil(bytes / size), 1);
  return Array.from({ length: pieces }, (_, i) => ({ at: i * size, length: Math.min(size, bytes - i * size) }));
}

/** The chunks one after the other; null where there is none, or one did not open. */
function together(chunks: readonly (ArrayBuffer | null)[]): ArrayBuffer | null {
  const [first] = chunks;
  if (first === undefined || chunks.includes(null)) return null;
  if (chunks.length === 1) return first;
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + (chunk?.byteLength ?? 0), 0));
  let at = 0;
  for (const chunk of chunks) {
    if (chunk === null) return null;
    whole.set(new Uint8Array(chunk), at);
    at += chunk.byteLength;
  }
  return whole.buffer;
}
