import { VaultError } from "../shared/error.ts";
import type {
  CallName,
  Details,
  Ending,
  Entry,
  FromVault,
  Played,
  Preview,
  VaultCall,
  VaultCalls,
} from "../shared/messages.ts";
import { Ranges, type Served } from "./ranges.ts";

/** Starts this package's worker scripts. */
export interface SpawnVault {
  vault(): Worker;
  chunks(): Worker;
  /** Registers the service worker, for pages that were loaded within its scope. */
  ranges(): Promise<ServiceWorkerRegistration>;
}

/** Bytes of `total` of the file `id` that are sealed. */
export type OnProgress = (id: string, done: number, total: number) => void;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: VaultError): void;
}

interface Importing {
  sidecar?: File | null;
  preview?: Preview;
  signal?: AbortSignal;
}

const NOTHING: Preview = { seconds: null, thumbnail: new Uint8Array() };

/** As many as a machine of today has cores to spare for a file. */
const MOST_WORKERS = 4;

/**
 * The vault of this browser profile. Files lie sealed in the origin's private file system; keys and plaintext are in
 * workers, but for what `read` gives. All methods reject with VaultError. Owns its workers; `end` stops them.
 */
export class VaultClient {
  readonly #worker: Worker;
  readonly #spawn: SpawnVault;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ranges: Ranges;
  #calls = 0;
  onProgress: OnProgress = () => undefined;

  constructor(spawn: SpawnVault) {
    this.#spawn = spawn;
    this.#ranges = new Ranges(() => spawn.ranges());
    this.#worker = spawn.vault();
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromVault>) => this.#heard(data));
    this.#worker.addEventListener("error", () => this.#failed());
  }

  /** What the vault worker does, by name. */
  call<Name extends CallName>(name: Name, ...args: Parameters<VaultCalls[Name]>): ReturnType<VaultCalls[Name]> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(++this.#calls, { resolve, reject });
    const call: VaultCall = { number: this.#calls, name, args };
    this.#worker.postMessage(
      call,
      args.flat().filter((arg) => arg instanceof MessagePort),
    );
    return promise as ReturnType<VaultCalls[Name]>;
  }

  /** Begins a file that is written as it comes. Takes no passphrase. */
  async create(details: Details): Promise<Writing> {
    return new Writing(this, await this.call("create", details));
  }

  /** Opens a file for reading. The signature and the end are checked first, and each part as it is read. */
  async open(id: string): Promise<OpenFile> {
    const { handle, entry } = await this.call("open", id);
    return new OpenFile(this, handle, entry);
  }

  /**
   * Any image, sound or video file, or an age file with its sidecar. Sealed over all cores; one at a time. Null: `signal` ended
   * it, and nothing of it is left.
   */
  async importFile(file: File, { sidecar = null, preview = NOTHING, signal }: Importing = {}): Promise<Entry | null> {
    const cancel = () => void this.call("cancelImport").catch(() => undefined);
    signal?.addEventListener("abort", cancel);
    try {
      return await this.#withWorkers((ports) => this.call("importFile", file, sidecar, preview, ports));
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Finishes a file whose writer ended early. `played`: what is known of it by now; null where that is nothing. */
  recover(id: string, played: Played | null): Promise<Entry> {
    return this.#withWorkers((ports) => this.call("recover", id, played, ports));
  }

  /** Seals a file again under another key: after a recipient was taken away. */
  reseal(id: string): Promise<Entry> {
    return this.#withWorkers((ports) => this.call("reseal", id, ports));
  }

  /** See OpenFile. */
  serve(file: OpenFile, onError: (error: unknown) => void): Promise<Served | null> {
    return this.#ranges.serve(file, onError);
  }

  end(): void {
    this.#ranges.end();
    this.#worker.terminate();
    this.#failed();
  }

  async #withWorkers<Result>(work: (ports: MessagePort[]) => Promise<Result>): Promise<Result> {
    const count = Math.min(Math.max(navigator.hardwareConcurrency, 1), MOST_WORKERS);
    const workers = Array.from({ length: count }, () => this.#spawn.chunks());
    try {
      return await work(workers.map(portTo));
    } finally {
      for (const worker of workers) worker.terminate();
    }
  }

  #heard(message: FromVault): void {
    if (message.type === "progress") return this.onProgress(message.id, message.done, message.total);
    const waiting = this.#waiting.get(message.number);
    this.#waiting.delete(message.number);
    if (message.type === "done") waiting?.resolve(message.value);
    else waiting?.reject(new VaultError(message.code, message.message));
  }

  #failed(): void {
    const error = new VaultError(
      "internal",
      "The vault's worker stopped. Load the page again: what was written is kept.",
    );
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** A file that is being written: appended only. */
export class Writing {
  readonly #vault: VaultClient;
  readonly id: string;

  constructor(vault: VaultClient, id: string) {
    this.#vault = vault;
    this.id = id;
  }

  /** Resolves when the bytes are sealed and on the disk. Rejects with `storage-full`: `finish` then keeps what fitted. */
  append(bytes: Uint8Array): Promise<void> {
    return this.#vault.call("append", this.id, bytes);
  }

  finish(ending: Ending): Promise<Entry> {
    return this.#vault.call("finish", this.id, ending);
  }

  /** Removes what was written. */
  cancel(): Promise<void> {
    return this.#vault.call("cancel", this.id);
  }
}

/** A file that is open for reading. */
export class OpenFile {
  readonly #vault: VaultClient;
  readonly #handle: number;
  readonly entry: Entry;

  constructor(vault: VaultClient, handle: number, entry: Entry) {
    this.#vault = vault;
    this.#handle = handle;
    this.entry = entry;
  }

  /** Bytes of it at present. */
  size(): Promise<number> {
    return this.#vault.call("size", this.#handle);
  }

  /** `length` bytes from `at`, fewer at the end. Rejects with `tampered` where they do not authenticate. */
  read(at: number, length: number): Promise<Uint8Array> {
    return this.#vault.call("read", this.#handle, at, length);
  }

  /**
   * Gives the file an address at which a media element of this page reads what it plays. Null: this browser has no service
   * workers, or not for this page, or its elements may write to the disk what they read.
   *
   * @param onError of the first read that fails, once: the address is closed then, and an element would only wait
   */
  serve(onError: (error: unknown) => void): Promise<Served | null> {
    return this.#vault.serve(this, onError);
  }

  close(): Promise<void> {
    return this.#vault.call("close", this.#handle);
  }
}

const PULL_BYTES = 1024 * 1024;

/** A file from its start to its end, read as it is taken. */
export function streamed(file: OpenFile): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const bytes = await file.read(at, PULL_BYTES);
        at += bytes.length;
        if (bytes.length > 0) return controller.enqueue(bytes);
        await file.close();
        controller.close();
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 1 },
  );
}

function portTo(worker: Worker): MessagePort {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(port2, [port2]);
  return port1;
}
