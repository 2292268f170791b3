import { type Cancel, type Clock, milli } from "@sealcast/time";
import type { ChunkWork, FromSealingWorker, ToSealingWorker } from "../shared/chunk.ts";

/** Chunk work could not be done at all. What did not authenticate is no error, it opens to null. */
export class ChunkError extends Error {
  override readonly name = "ChunkError";
  readonly code: "workers-fail" | "closed" | "payload-too-large";

  constructor(code: ChunkError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** How many workers there are: up to `most` while work waits, down to `least` when none has come for a while. */
export interface PoolSize {
  least: number;
  most: number;
}

/** One in work and one behind it, so that a worker that is done need not wait for the page to hear of it. */
const AT_HAND = 2;
/** A chunk takes a millisecond: a worker that is silent this long is dead. */
const SILENT_MS = milli(5_000);
/** Loading its script takes a worker a while on a busy machine. */
const BORN_WITHIN_MS = milli(15_000);
/** Starting a worker costs about as much as sealing 50 MB: those that have nothing to do are kept a while. */
const IDLE_MS = milli(10_000);
/** A chunk whose workers keep dying would kill every next one. */
const MAX_TRIES = 3;

interface Job {
  readonly work: ChunkWork;
  readonly resolve: (data: ArrayBuffer | null) => void;
  readonly reject: (error: ChunkError) => void;
  tries: number;
}

interface WorkerSlot {
  readonly worker: Worker;
  readonly jobs: Map<number, Job>;
  ready: boolean;
  /** Of the timer that takes it for dead, or for idle. */
  cancel: Cancel;
}

/**
 * One queue of chunks from which idle workers pull. A worker that dies is replaced, and its chunks go back to the head
 * of the queue; that does no harm to the nonces, since a chunk done again gives the same bytes, and only one result is
 * ever seen.
 */
export class ChunkQueue {
  readonly #spawn: () => Worker;
  readonly #baseKey: CryptoKey;
  readonly #size: PoolSize;
  readonly #clock: Clock;
  readonly #waiting: Job[] = [];
  readonly #slots = new Set<WorkerSlot>();
  #jobs = 0;
  #closed = false;

  constructor(spawn: () => Worker, baseKey: CryptoKey, size: PoolSize, clock: Clock) {
    this.#spawn = spawn;
    this.#baseKey = baseKey;
    this.#size = size;
    this.#clock = clock;
    while (this.#slots.size < size.least) this.#start();
  }

  /** Resolves with the chunk sealed or opened. Rejects with ChunkError. `work.from` stays the caller's. */
  run(work: ChunkWork): Promise<ArrayBuffer | null> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject, tries: 0 });
      this.#handOut();
    });
  }

  close(): void {
    this.#closed = true;
    const jobs = [...this.#waiting.splice(0), ...[...this.#slots].flatMap((slot) => [...slot.jobs.values()])];
    for (const slot of this.#slots) this.#end(slot);
    for (const { reject } of jobs) reject(closed());
  }

  #handOut(): void {
    for (let job = this.#waiting[0]; job !== undefined; job = this.#waiting[0]) {
      const slot = this.#freest();
      if (slot === undefined) break;
      this.#waiting.shift();
      this.#give(slot, job);
    }
    if (this.#waiting.length > 0 && this.#slots.size < this.#size.most) this.#start();
  }

  #freest(): WorkerSlot | undefined {
    return [...this.#slots]
      .filter(({ ready, jobs }) => ready && jobs.size < AT_HAND)
      .reduce<WorkerSlot | undefined>(
        (least, next) => (least && least.jobs.size <= next.jobs.size ? least : next),
        undefined,
      );
  }

  #give(slot: WorkerSlot, job: Job): void {
    const { from, at, length } = job.work;
    const id = this.#jobs++;
    slot.jobs.set(id, job);
    this.#watch(slot);
    if (!(from instanceof ArrayBuffer)) return post(slot.worker, { type: "work", job: id, work: job.work });
    // A buffer cannot be transferred in parts, and what a worker takes with it when it dies must still be here.
    const piece = from.slice(at, at + length);
    post(slot.worker, { type: "work", job: id, work: { ...job.work, from: piece, at: 0 } }, [piece]);
  }

  #start(): void {
    const slot: WorkerSlot = { worker: this.#spawn(), jobs: new Map(), ready: false, cancel: () => undefined };
    this.#slots.add(slot);
    slot.worker.addEventListener("message", ({ data }: MessageEvent<FromSealingWorker>) => this.#heard(slot, data));
    slot.worker.addEventListener("error", () => this.#died(slot));
    post(slot.worker, { type: "key", baseKey: this.#baseKey });
    slot.cancel = this.#clock.after(BORN_WITHIN_MS, () => this.#died(slot));
  }

  #heard(slot: WorkerSlot, message: FromSealingWorker): void {
    if (message.type === "ready") slot.ready = true;
    else {
      slot.jobs.get(message.job)?.resolve(message.data);
      slot.jobs.delete(message.job);
    }
    this.#handOut();
    this.#watch(slot);
  }

  /** Restarts the worker's timer: it has just got work, or answered. */
  #watch(slot: WorkerSlot): void {
    slot.cancel();
    slot.cancel =
      slot.jobs.size > 0
        ? this.#clock.after(SILENT_MS, () => this.#died(slot))
        : this.#clock.after(IDLE_MS, () => this.#idle(slot));
  }

  #idle(slot: WorkerSlot): void {
    if (this.#slots.size > this.#size.least) this.#end(slot);
  }

  #died(slot: WorkerSlot): void {
    if (!this.#slots.has(slot)) return;
    this.#end(slot);
    const jobs = [...slot.jobs.values()];
    for (const job of jobs) job.tries++;
    this.#waiting.unshift(...jobs.filter(({ tries }) => tries < MAX_TRIES));
    for (const { tries, reject } of jobs) if (tries >= MAX_TRIES) reject(failed());
    // Another is started only if this one ran at all, and only where work waits: there would be no end to it otherwise.
    if (slot.ready) this.#handOut();
    else this.#giveUp();
  }

  /** A worker died before it was ready: its script does not load, and another would not either. */
  #giveUp(): void {
    if (this.#slots.size > 0) return;
    for (const { reject } of this.#waiting.splice(0)) reject(failed());
  }

  #end(slot: WorkerSlot): void {
    slot.cancel();
    this.#slots.delete(slot);
    slot.worker.terminate();
  }
}

function closed(): ChunkError {
  return new ChunkError("closed", "The chunk pool was closed.");
}

function failed(): ChunkError {
  return new ChunkError("workers-fail", "Chunk workers die or do not start. See the console for their errors.");
}

function post(worker: Worker, message: ToSealingWorker, transfer: Transferable[] = []): void {
  worker.postMessage(message, transfer);
}
