import { type Cancel, type Clock, milli, systemClock } from "@sealcast/time";
import type { FromChunk, JobSource, JobTarget, ToChunk } from "../shared/chunk-job.ts";
import { DIGEST_BYTES } from "../shared/digests.ts";
import { VaultError, type VaultErrorCode } from "../shared/error.ts";
import { CHUNK_BYTES, chunkCount } from "../shared/payload.ts";

/** Chunks of a range: 512 KiB, so that a file of some MB has ranges for all workers. A message costs little beside one. */
const RANGE = 8;
/** Ranges that a worker has at a time: it reads one while it seals the other. */
const AT_HAND = 2;
/** A worker that is silent for this long is dead: a range takes some 3 ms. */
const MOST_SILENCE = milli(30_000);

type Range = Extract<ToChunk, { type: "range" }>;

/** Bytes that the vault worker has itself, and hands out. */
interface Given {
  readonly type: "given";
  /** Exactly `length` bytes from `at`, an array that spans its whole buffer. It is transferred. */
  read(at: number, length: number): Promise<Uint8Array>;
}

/** One job: a source of `bytes`, and where they go. */
export interface ChunkJob {
  readonly source: Exclude<JobSource, { type: "given" }> | Given;
  readonly target: JobTarget;
  readonly bytes: number;
  /** Ends the job, which rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes that are done. */
  onProgress(done: number): void;
  /** Of each range, in any order; the array is the callee's. */
  onRange(first: number, bytes: Uint8Array): void;
}

/**
 * Shares a file's chunks out over the workers behind `ports`. Each chunk is given to one worker, once: where a worker fails
 * or dies, so does the job, and who wants it again begins with another key.
 */
export async function runChunkJob(
  ports: readonly MessagePort[],
  job: ChunkJob,
  clock: Clock = systemClock,
): Promise<void> {
  const total = chunkCount(job.bytes);
  let next = 0;
  let done = 0;
  const give = (): Range | null => {
    if (next >= total || job.signal?.aborted) return null;
    const range = { type: "range", first: next, count: Math.min(RANGE, total - next) } as const;
    next += range.count;
    return range;
  };
  const took = (first: number, count: number, bytes: Uint8Array) => {
    job.onRange(first, bytes);
    done += count;
    job.onProgress(Math.min(done * CHUNK_BYTES, job.bytes));
  };
  const works = ports.map((port) => workThrough(port, job, give, took, clock));
  // The others end what they have at hand, and free their files, before anybody hears of it.
  for (const work of works) work.catch(() => (next = total));
  const failed = (await Promise.allSettled(works)).find((work) => work.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  job.signal?.throwIfAborted();
}

/** The digests of all chunks, one after the other, put together from ranges in any order. */
export class Digests {
  readonly bytes: Uint8Array;

  constructor(bytes: number) {
    this.bytes = new Uint8Array(chunkCount(bytes) * DIGEST_BYTES);
  }

  set(first: number, digests: Uint8Array): void {
    this.bytes.set(digests, first * DIGEST_BYTES);
  }
}

function workThrough(
  port: MessagePort,
  { source, target, bytes }: ChunkJob,
  give: () => Range | null,
  took: (first: number, count: number, bytes: Uint8Array) => void,
  clock: Clock,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let cancel: Cancel = () => undefined;
  let atHand = 0;
  /** Called once its worker has freed its files. */
  let failure: unknown = null;
  const say = (message: ToChunk) => {
    cancel();
    cancel = clock.after(MOST_SILENCE, () => reject(silent()));
    post(port, message);
  };
  const fail = (error: unknown) => {
    failure ??= error;
    say({ type: "end" });
  };
  const handOut = async () => {
    while (atHand < AT_HAND) {
      const range = give();
      if (range === null) break;
      atHand++;
      say(source.type === "given" ? await filled(range, source, bytes) : range);
    }
    if (atHand === 0) say({ type: "end" });
  };
  port.onmessage = ({ data }: MessageEvent<FromChunk>) => {
    if (data.type === "failed") return fail(new VaultError(data.code as VaultErrorCode, data.message));
    if (data.type === "ended") {
      cancel();
      return failure === null ? resolve() : reject(failure);
    }
    if (failure !== null) return;
    if (data.type === "range") {
      took(data.first, data.count, data.bytes);
      atHand--;
    }
    handOut().catch(fail);
  };
  say({ type: "job", source: source.type === "given" ? { type: "given" } : source, target, bytes });
  return promise;
}

function silent(): VaultError {
  return new VaultError("internal", "A worker stopped. Nothing was changed; try again.");
}

async function filled(range: Range, source: Given, bytes: number): Promise<Range> {
  const at = range.first * CHUNK_BYTES;
  return { ...range, plain: await source.read(at, Math.min(range.count * CHUNK_BYTES, bytes - at)) };
}

function post(port: MessagePort, message: ToChunk): void {
  const isGiven = message.type === "range" && message.plain !== undefined;
  port.postMessage(message, isGiven ? [message.plain.buffer as ArrayBuffer] : []);
}
