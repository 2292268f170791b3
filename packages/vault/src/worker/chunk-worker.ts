import { concat } from "@sealcast/bytes";
import { SerialQueue } from "@sealcast/time";
import type { FromChunk, JobSource, JobTarget, ToChunk } from "../shared/chunk-job.ts";
import { digestOf } from "../shared/digests.ts";
import { VaultError } from "../shared/error.ts";
import { CHUNK_BYTES, chunkAt, chunkCount, payloadCipher } from "../shared/payload.ts";
import { SealedReader } from "../shared/sealed-reader.ts";
import { ChunkSealer } from "../shared/sealed-writer.ts";
import { blobBytes, openForReading, writeAll } from "./files.ts";

/** Reads one range of a job's source. */
type Read = (at: number, length: number) => Promise<Uint8Array>;
/** Takes what was read of a range; gives what is answered. */
type Take = (first: number, plain: Uint8Array) => Promise<Uint8Array>;

interface Job {
  readonly bytes: number;
  readonly read: Read;
  readonly take: Take;
  readonly close: readonly (() => void)[];
}

/** Seals or opens ranges of a file's chunks. Those at hand go on at a time: while one is written, the next is sealed. */
export class ChunkWorker {
  readonly #tell: (message: FromChunk, transfer: Transferable[]) => void;
  #job: Job | null = null;
  readonly #turns = new SerialQueue();

  constructor(tell: (message: FromChunk, transfer: Transferable[]) => void) {
    this.#tell = tell;
  }

  async hear(message: ToChunk): Promise<void> {
    const fail = (error: unknown) => this.#fail(error);
    if (message.type !== "range") return this.#turns.run(() => this.#turn(message)).catch(fail);
    const done = this.#range(message).catch(fail);
    // At once; a turn waits for all before it.
    void this.#turns.run(() => done);
    return done;
  }

  /** Ends the job before, and begins the next. */
  async #turn(message: Exclude<ToChunk, { type: "range" }>): Promise<void> {
    const ended = this.#job;
    // First: where one cannot be closed, that is said once.
    this.#job = null;
    for (const close of ended?.close ?? []) close();
    if (message.type === "end") return this.#tell({ type: "ended" }, []);
    this.#job = await begin(message.source, message.target, message.bytes);
    this.#tell({ type: "ready" }, []);
  }

  async #range(range: Extract<ToChunk, { type: "range" }>): Promise<void> {
    const { first, count } = range;
    if (this.#job === null) throw new VaultError("internal", "A range came without a job.");
    const answer = await this.#job.take(first, await this.#plain(this.#job, range));
    this.#tell({ type: "range", first, count, bytes: answer }, [answer.buffer as ArrayBuffer]);
  }

  async #plain(job: Job, { first, count, plain }: Extract<ToChunk, { type: "range" }>): Promise<Uint8Array> {
    const at = first * CHUNK_BYTES;
    return plain ?? job.read(at, Math.min(count * CHUNK_BYTES, job.bytes - at));
  }

  #fail(error: unknown): void {
    const [code, message] = error instanceof VaultError ? [error.code, error.message] : ["internal", String(error)];
    this.#tell({ type: "failed", code, message }, []);
  }
}

async function begin(source: JobSource, target: JobTarget, bytes: number): Promise<Job> {
  const from = await readerOf(source);
  const to = target.type === "memory" ? { take: asIs, close: () => undefined } : await sealerTo(target, bytes);
  return { bytes, read: from.read, take: to.take, close: [from.close, to.close] };
}

const asIs: Take = async (_, plain) => plain;

const ungiven: Read = async () => {
  throw new VaultError("internal", "A range came without its bytes.");
};

async function readerOf(source: JobSource): Promise<{ read: Read; close: () => void }> {
  if (source.type === "given") return { read: ungiven, close: () => undefined };
  if (source.type === "plain") return { ...blobBytes(source.blob), close: () => undefined };
  const file = await openForReading(source.payload);
  const reader = await SealedReader.open(file, source.fileKey);
  return { read: (at, length) => reader.read(at, length), close: file.close };
}

async function sealerTo(
  { payload, fileKey, nonce, isShared }: Extract<JobTarget, { type: "sealed" }>,
  bytes: number,
): Promise<{ take: Take; close: () => void }> {
  const file = await (isShared
    ? payload.createSyncAccessHandle({ mode: "readwrite-unsafe" })
    : payload.createSyncAccessHandle());
  const sealer = new ChunkSealer(await payloadCipher(fileKey, nonce));
  const last = chunkCount(bytes) - 1;
  const take: Take = async (first, plain) => {
    const count = Math.max(1, Math.ceil(plain.length / CHUNK_BYTES));
    const sealing = Array.from({ length: count }, (_, i) =>
      sealer.seal(first + i, first + i === last, plain.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES)),
    );
    const sealed = await Promise.all(sealing);
    const digests = Promise.all(sealed.map(digestOf));
    for (const [i, chunk] of sealed.entries()) writeAll(file, chunk, chunkAt(first + i));
    return concat(...(await digests));
  };
  const close = () => {
    try {
      file.flush();
    } finally {
      file.close();
    }
  };
  return { take, close };
}
