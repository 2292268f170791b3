import { vi } from "vitest";
import { ChunkWorker } from "./chunk-worker.ts";

/**
 * Stands for the origin's private file system and its locks, in memory: with what a crash leaves after each change, and with
 * files that are in use.
 */

type Mode = "readwrite" | "read-only" | "readwrite-unsafe";

/** What every call rejects with after a crash, as a worker that is gone does nothing more. */
class Crashed extends Error {}

/** A disk. Each worker that uses it is a `Visit`. */
export class Disk {
  readonly root: Folder;

  constructor(root = new Folder()) {
    this.root = root;
  }

  copy(): Disk {
    return new Disk(this.root.copy());
  }
}

/** A worker's life: its files are free when it ends, and its locks. After `crashAfter` changes it ends in the middle of one. */
export class Visit {
  readonly #disk: Disk;
  readonly #opened = new Set<Handle>();
  readonly #locks = new Set<string>();
  changes = 0;
  crashAfter = Number.POSITIVE_INFINITY;
  /** Bytes that can still be written. */
  room = Number.POSITIVE_INFINITY;
  isOver = false;
  onChange = (): void => undefined;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  get root(): FileSystemDirectoryHandle {
    return new Directory(this, "", this.#disk.root) as unknown as FileSystemDirectoryHandle;
  }

  /** Counts a change. @returns false where the worker dies of it: half of a write is on the disk then */
  change(): boolean {
    this.alive();
    this.onChange();
    if (++this.changes <= this.crashAfter) return true;
    this.end();
    return false;
  }

  alive(): void {
    if (this.isOver) throw new Crashed();
  }

  end(): void {
    this.isOver = true;
    for (const handle of this.#opened) handle.free();
    for (const name of this.#locks) held.delete(name);
  }

  keep(handle: Handle): void {
    this.#opened.add(handle);
  }

  lock(name: string): () => void {
    held.add(name);
    this.#locks.add(name);
    return () => {
      if (!this.isOver) held.delete(name);
    };
  }
}

const held = new Set<string>();
let visit: Visit;

/** What `navigator.locks` gives from now on is of this worker. */
export function becomes(next: Visit): void {
  visit = next;
  vi.stubGlobal("navigator", { locks });
}

const locks = {
  async request(name: string, _: LockOptions, work: (lock: object | null) => unknown): Promise<unknown> {
    if (held.has(name)) return work(null);
    const release = visit.lock(name);
    try {
      return await work({ name });
    } finally {
      release();
    }
  },
  query: async () => ({ held: [...held].map((name) => ({ name })) }),
};

export class Folder {
  readonly entries: Map<string, Folder | Content>;

  constructor(entries = new Map<string, Folder | Content>()) {
    this.entries = entries;
  }

  copy(): Folder {
    return new Folder(new Map([...this.entries].map(([name, entry]) => [name, entry.copy()])));
  }
}

export class Content {
  bytes: Uint8Array<ArrayBuffer>;
  readonly users: Mode[] = [];

  constructor(bytes = new Uint8Array()) {
    this.bytes = bytes;
  }

  copy(): Content {
    return new Content(this.bytes);
  }
}

class Directory {
  readonly kind = "directory";
  readonly of: Visit;
  readonly name: string;
  readonly folder: Folder;

  constructor(of: Visit, name: string, folder: Folder) {
    this.of = of;
    this.name = name;
    this.folder = folder;
  }

  async getDirectoryHandle(name: string, { create = false } = {}): Promise<Directory> {
    const entry = this.#entry(name, create, () => new Folder());
    if (!(entry instanceof Folder)) throw new DOMException(name, "TypeMismatchError");
    return new Directory(this.of, name, entry);
  }

  async getFileHandle(name: string, { create = false } = {}): Promise<FileHandle> {
    const entry = this.#entry(name, create, () => new Content());
    if (!(entry instanceof Content)) throw new DOMException(name, "TypeMismatchError");
    return new FileHandle(this.of, name, entry, this.folder);
  }

  async removeEntry(name: string, { recursive = false } = {}): Promise<void> {
    this.of.alive();
    const entry = this.folder.entries.get(name);
    if (entry === undefined) throw new DOMException(name, "NotFoundError");
    if (isUsed(entry)) throw new DOMException(name, "NoModificationAllowedError");
    if (entry instanceof Folder && recursive)
      for (const child of [...entry.entries.keys()])
        await new Directory(this.of, name, entry).removeEntry(child, { recursive });
    if (!this.of.change()) throw new Crashed();
    this.folder.entries.delete(name);
  }

  async *keys(): AsyncGenerator<string> {
    this.of.alive();
    yield* [...this.folder.entries.keys()];
  }

  #entry<Kind extends Folder | Content>(name: string, create: boolean, make: () => Kind): Folder | Content {
    this.of.alive();
    const entry = this.folder.entries.get(name);
    if (entry !== undefined) return entry;
    if (!create) throw new DOMException(name, "NotFoundError");
    if (!this.of.change()) throw new Crashed();
    const made = make();
    this.folder.entries.set(name, made);
    return made;
  }
}

function isUsed(entry: Folder | Content): boolean {
  return entry instanceof Content ? entry.users.length > 0 : [...entry.entries.values()].some(isUsed);
}

class FileHandle {
  readonly kind = "file";
  readonly of: Visit;
  readonly name: string;
  readonly content: Content;
  readonly folder: Folder;

  constructor(of: Visit, name: string, content: Content, folder: Folder) {
    this.of = of;
    this.name = name;
    this.content = content;
    this.folder = folder;
  }

  async getFile(): Promise<Blob> {
    this.of.alive();
    return new Blob([this.content.bytes.slice()]);
  }

  async createSyncAccessHandle({ mode = "readwrite" }: { mode?: Mode } = {}): Promise<Handle> {
    this.of.alive();
    const isFree = this.content.users.every((other) => other === mode && mode !== "readwrite");
    if (!isFree) throw new DOMException(this.name, "NoModificationAllowedError");
    const handle = new Handle(this.of, this.content, mode);
    this.of.keep(handle);
    return handle;
  }

  async move(name: string): Promise<void> {
    if (!this.of.change()) throw new Crashed();
    this.folder.entries.delete(this.name);
    this.folder.entries.set(name, this.content);
  }
}

class Handle {
  #isOpen = true;
  readonly of: Visit;
  readonly content: Content;
  readonly mode: Mode;

  constructor(of: Visit, content: Content, mode: Mode) {
    this.of = of;
    this.content = content;
    this.mode = mode;
    content.users.push(mode);
  }

  read(into: Uint8Array, { at }: { at: number }): number {
    this.of.alive();
    const part = this.content.bytes.subarray(at, at + into.length);
    into.set(part);
    return part.length;
  }

  write(bytes: Uint8Array, { at }: { at: number }): number {
    this.of.room -= bytes.length;
    if (this.of.room < 0) throw new DOMException("full", "QuotaExceededError");
    const isWhole = this.of.change();
    const part = isWhole ? bytes : bytes.subarray(0, bytes.length >> 1);
    const grown = new Uint8Array(Math.max(this.content.bytes.length, at + part.length));
    grown.set(this.content.bytes);
    grown.set(part, at);
    this.content.bytes = grown;
    if (!isWhole) throw new Crashed();
    return bytes.length;
  }

  truncate(size: number): void {
    if (!this.of.change()) throw new Crashed();
    this.content.bytes = this.content.bytes.slice(0, size);
  }

  getSize(): number {
    return this.content.bytes.length;
  }

  flush(): void {
    this.of.alive();
  }

  close(): void {
    this.free();
  }

  free(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.content.users.splice(this.content.users.indexOf(this.mode), 1);
  }
}

/** A port with a chunk worker behind it, in this thread. */
export function chunkPort(): MessagePort {
  const port = {
    onmessage: null,
    postMessage: (message: never) => void worker.hear(message),
  } as unknown as MessagePort;
  const worker = new ChunkWorker((data) => port.onmessage?.({ data } as MessageEvent));
  return port;
}
