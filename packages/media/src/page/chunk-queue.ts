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
/** A chunk takes a millisecond: a worker silent for so long is dead. */
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
  readonly #crew: PoolSize;
  readonly #clock: Clock;
  readonly #waiting: Job[] = [];
  readonly #hands = new Set<WorkerSlot>();
  #jobs = 0;
  #closed = false;

  constructor(spawn: () => Worker, baseKey: CryptoKey, crew: PoolSize, clock: Clock) {
    this.#spawn = spawn;
    this.#baseKey = baseKey;
    this.#crew = crew;
    this.#clock = clock;
    while (this.#hands.size < crew.least) this.#start();
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
    const jobs = [...this.#waiting.splice(0), ...[...this.#hands].flatMap((hand) => [...hand.jobs.values()])];
    for (const hand of this.#hands) this.#end(hand);
    for (const { reject } of jobs) reject(closed());
  }

  #handOut(): void {
    for (let job = this.#waiting[0]; job !== undefined; job = this.#waiting[0]) {
      const hand = this.#freest();
      if (hand === undefined) break;
      this.#waiting.shift();
      this.#give(hand, job);
    }
    if (this.#waiting.length > 0 && this.#hands.size < this.#crew.most) this.#start();
  }

  #freest(): WorkerSlot | undefined {
    return [...this.#hands]
      .filter(({ ready, jobs }) => ready && jobs.size < AT_HAND)
      .reduce<WorkerSlot | undefined>(
        (least, next) => (least && least.jobs.size <= next.jobs.size ? least : next),
        undefined,
      );
  }

  #give(hand: WorkerSlot, job: Job): void {
    const { from, at, length } = job.work;
    const id = this.#jobs++;
    hand.jobs.set(id, job);
    this.#watch(hand);
    if (!(from instanceof ArrayBuffer)) return post(hand.worker, { type: "work", job: id, work: job.work });
    // A buffer cannot be transferred in parts, and what a worker takes with it when it dies must still be here.
    const piece = from.slice(at, at + length);
    post(hand.worker, { type: "work", job: id, work: { ...job.work, from: piece, at: 0 } }, [piece]);
  }

  #start(): void {
    const hand: WorkerSlot = { worker: this.#spawn(), jobs: new Map(), ready: false, cancel: () => undefined };
    this.#hands.add(hand);
    hand.worker.addEventListener("message", ({ data }: MessageEvent<FromSealingWorker>) => this.#heard(hand, data));
    hand.worker.addEventListener("error", () => this.#died(hand));
    post(hand.worker, { type: "key", baseKey: this.#baseKey });
    hand.cancel = this.#clock.after(BORN_WITHIN_MS, () => this.#died(hand));
  }

  #heard(hand: WorkerSlot, message: FromSealingWorker): void {
    if (message.type === "ready") hand.ready = true;
    else {
      hand.jobs.get(message.job)?.resolve(message.data);
      hand.jobs.delete(message.job);
    }
    this.#handOut();
    this.#watch(hand);
  }

  /** Sets the worker's timer anew: it has just been given something, or was heard. */
  #watch(hand: WorkerSlot): void {
    hand.cancel();
    hand.cancel =
      hand.jobs.size > 0
        ? this.#clock.after(SILENT_MS, () => this.#died(hand))
        : this.#clock.after(IDLE_MS, () => this.#idle(hand));
  }

  #idle(hand: WorkerSlot): void {
    if (this.#hands.size > this.#crew.least) this.#end(hand);
  }

  #died(hand: WorkerSlot): void {
    if (!this.#hands.has(hand)) return;
    this.#end(hand);
    const jobs = [...hand.jobs.values()];
    for (const job of jobs) job.tries++;
    this.#waiting.unshift(...jobs.filter(({ tries }) => tries < MAX_TRIES));
    for (const { tries, reject } of jobs) if (tries >= MAX_TRIES) reject(failed());
    // Another is started only if this one ran at all, and only where work waits: there would be no end to it otherwise.
    if (hand.ready) this.#handOut();
    else this.#giveUp();
  }

  /** A worker died before it was ready: its script does not load, and another would not either. */
  #giveUp(): void {
    if (this.#hands.size > 0) return;
    for (const { reject } of this.#waiting.splice(0)) reject(failed());
  }

  #end(hand: WorkerSlot): void {
    hand.cancel();
    this.#hands.delete(hand);
    hand.worker.terminate();
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
