import type { FileFailure, FilePlace, FileTask, FromFileWorker, ToFileWorker } from "../shared/file.ts";

/** A file could not be sealed, opened or written. */
export class FileWorkError extends Error {
  override readonly name = "FileWorkError";
  readonly failure: FileFailure;

  constructor(failure: FileFailure) {
    super(failure);
    this.failure = failure;
  }
}

type Answer = ArrayBuffer | File | null;

/**
 * Seals the chunks of files that are sent, and opens and writes those of files that come, in a worker of its own. Calls for
 * one file are done in their order. All reject with FileWorkError.
 */
export class FileWorker {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>();
  #number = 0;
  #isClosed = false;

  constructor(spawn: () => Worker) {
    this.#worker = spawn();
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromFileWorker>) => this.#heard(data));
    this.#worker.addEventListener("error", () => this.close());
  }

  /** `baseKey` is what importBaseKey makes of 32 bytes that nothing else was sealed under. */
  async send(id: string, file: File, baseKey: CryptoKey): Promise<void> {
    await this.#ask({ type: "send", id, file, baseKey });
  }

  /** The chunk, sealed. Rejects with `changed` where the file is not what it was. */
  async seal(id: string, chunk: number): Promise<ArrayBuffer> {
    const sealed = await this.#ask({ type: "seal", id, chunk });
    if (!(sealed instanceof ArrayBuffer)) throw new FileWorkError("stopped");
    return sealed;
  }

  /** Resolves once there is a place to write to, with room for all of it where the browser tells. */
  async receive(id: string, size: number, baseKey: CryptoKey, place: FilePlace): Promise<void> {
    await this.#ask({ type: "receive", id, size, baseKey, place });
  }

  /** Resolves once the chunk is written. `sealed` goes to the worker. */
  async open(id: string, chunk: number, sealed: ArrayBuffer): Promise<void> {
    await this.#ask({ type: "open", id, chunk, sealed }, [sealed]);
  }

  /** The whole file; null where it is where the person chose. */
  async finish(id: string): Promise<File | null> {
    const file = await this.#ask({ type: "finish", id });
    return file instanceof File ? file : null;
  }

  /** Forgets the file. What was written of an unfinished one is removed. */
  async drop(id: string): Promise<void> {
    await this.#ask({ type: "drop", id });
  }

  close(): void {
    this.#isClosed = true;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(new FileWorkError("stopped"));
    this.#waiting.clear();
  }

  #ask(task: FileTask, transfer: Transferable[] = []): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(new FileWorkError("stopped"));
    const number = this.#number++;
    const answer = Promise.withResolvers<Answer>();
    this.#waiting.set(number, answer);
    this.#worker.postMessage({ number, task } satisfies ToFileWorker, transfer);
    return answer.promise;
  }

  #heard(message: FromFileWorker): void {
    const waiting = this.#waiting.get(message.number);
    this.#waiting.delete(message.number);
    if ("failure" in message) waiting?.reject(new FileWorkError(message.failure));
    else waiting?.resolve(message.value);
  }
}
