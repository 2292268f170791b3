import { SerialQueue } from "@sealcast/time";
import type { FileTask, FromFileWorker, ToFileWorker } from "../../shared/file.ts";
import { FileError } from "./file-error.ts";
import { ReceivedFile } from "./received-file.ts";
import { SentFile } from "./sent-file.ts";

type Value = ArrayBuffer | File | null;

/** Seals files that are sent, and opens and writes those that are received. Tasks of one file are done one after the other. */
export class FileTasks {
  readonly #tell: (message: FromFileWorker, transfer: Transferable[]) => void;
  readonly #queues = new Map<string, SerialQueue>();
  readonly #sent = new Map<string, SentFile>();
  readonly #received = new Map<string, ReceivedFile>();

  constructor(tell: (message: FromFileWorker, transfer: Transferable[]) => void) {
    this.#tell = tell;
  }

  /** Resolves once it was answered. Rejects for a bug, after which this worker is of no use. */
  async hear({ number, task }: ToFileWorker): Promise<void> {
    const queue = this.#queues.get(task.id) ?? new SerialQueue();
    this.#queues.set(task.id, queue);
    try {
      const value = await queue.run(() => this.#do(task));
      this.#tell({ number, value }, value instanceof ArrayBuffer ? [value] : []);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.#tell({ number, failure: error.failure }, []);
    }
  }

  async #do(task: FileTask): Promise<Value> {
    switch (task.type) {
      case "send":
        this.#sent.set(task.id, new SentFile(task.file, task.baseKey));
        return null;
      case "seal":
        return known(this.#sent, task.id).seal(task.chunk);
      case "receive":
        this.#received.set(task.id, await ReceivedFile.create(task.size, task.baseKey, task.place));
        return null;
      case "open":
        await known(this.#received, task.id).open(task.chunk, new Uint8Array(task.sealed));
        return null;
      case "finish":
        return this.#finish(task.id);
      case "drop":
        await this.#drop(task.id);
        return null;
    }
  }

  async #finish(id: string): Promise<File | null> {
    const file = await known(this.#received, id).finish();
    this.#received.delete(id);
    return file;
  }

  async #drop(id: string): Promise<void> {
    const received = this.#received.get(id);
    this.#sent.delete(id);
    this.#received.delete(id);
    this.#queues.delete(id);
    await received?.drop();
  }
}

/** What was dropped meanwhile is gone. */
function known<File>(files: ReadonlyMap<string, File>, id: string): File {
  const file = files.get(id);
  if (file === undefined) throw new FileError("stopped");
  return file;
}
