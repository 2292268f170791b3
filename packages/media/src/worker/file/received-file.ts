import { FILE_CHUNK_BYTES, type FilePlace, sealedFileChunkBytes } from "../../shared/file.ts";
import { FileError } from "./file-error.ts";
import { fileCipher } from "./sent-file.ts";

/** Where bytes are written. One of `finish` and `drop` comes last. */
interface Sink {
  write(bytes: Uint8Array<ArrayBuffer>, at: number): Promise<void>;
  /** The file, where the page has to hand it on. */
  finish(): Promise<File | null>;
  /** Nothing of it is left. */
  drop(): Promise<void>;
}

/** A file that is opened and written chunk by chunk, as it comes. */
export class ReceivedFile {
  readonly #size: number;
  readonly #cipher: ReturnType<typeof fileCipher>;
  readonly #sink: Sink;

  private constructor(size: number, baseKey: CryptoKey, sink: Sink) {
    this.#size = size;
    this.#cipher = fileCipher(baseKey, size);
    this.#sink = sink;
  }

  /** @throws FileError `full` or `unwritable` */
  static async create(size: number, baseKey: CryptoKey, place: FilePlace): Promise<ReceivedFile> {
    const sink = await written(place.type === "private" ? privateSink(place, size) : chosenSink(place.handle));
    return new ReceivedFile(size, baseKey, sink);
  }

  /** @throws FileError `damaged`: nothing of the chunk is written; `full` or `unwritable` */
  async open(chunk: number, sealed: Uint8Array): Promise<void> {
    const isWhole = sealed.length === sealedFileChunkBytes(this.#size, chunk);
    const opened = isWhole ? await (await this.#cipher).open(chunk, sealed) : null;
    if (opened === null) throw new FileError("damaged");
    await written(this.#sink.write(new Uint8Array(opened), chunk * FILE_CHUNK_BYTES));
  }

  finish(): Promise<File | null> {
    return written(this.#sink.finish());
  }

  drop(): Promise<void> {
    return written(this.#sink.drop());
  }
}

async function written<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
    throw new FileError(isFull ? "full" : "unwritable", error);
  }
}

async function privateSink({ folder, name }: Extract<FilePlace, { type: "private" }>, size: number): Promise<Sink> {
  const handle = await folder.getFileHandle(name, { create: true });
  const file = await handle.createSyncAccessHandle();
  const drop = async () => {
    file.close();
    await folder.removeEntry(name);
  };
  try {
    // Room for all of it, before any of it comes.
    file.truncate(size);
  } catch (error) {
    await drop();
    throw error;
  }
  return {
    drop,
    async write(bytes, at) {
      if (file.write(bytes, { at }) < bytes.length) throw new DOMException("", "QuotaExceededError");
    },
    async finish() {
      file.flush();
      file.close();
      return handle.getFile();
    },
  };
}

async function chosenSink(handle: FileSystemFileHandle): Promise<Sink> {
  // The browser makes an empty file where the person chose a new place: another one was there before, and stays.
  const isNew = (await handle.getFile()).size === 0;
  const file = await handle.createWritable();
  return {
    write: (data, position) => file.write({ type: "write", position, data }),
    async finish() {
      await file.close();
      return null;
    },
    async drop() {
      await file.abort();
      if (isNew) await handle.remove?.();
    },
  };
}

declare global {
  /** What the platform's types do not have yet. */
  interface FileSystemFileHandle {
    /** Chromium alone has it. */
    remove?(): Promise<void>;
  }
}
