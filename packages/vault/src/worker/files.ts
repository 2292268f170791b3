import type { StoredBytes } from "../shared/sealed-reader.ts";
import { storageFull } from "../shared/sealed-writer.ts";

/** Files of the origin's private file system, whole or in parts. */

/** To read what is written meanwhile: who records writes once or twice a second. */
const MOST_TRIES = 5;

/** The file's bytes; null: there is no such file. */
export async function readWhole(directory: FileSystemDirectoryHandle, name: string): Promise<Uint8Array | null> {
  const handle = await found(directory.getFileHandle(name));
  return handle && new Uint8Array(await (await handle.getFile()).arrayBuffer());
}

/** Puts `bytes` in the file's place: after a crash there is the old file or the new one, whole. */
export async function replaceWhole(
  directory: FileSystemDirectoryHandle,
  name: string,
  bytes: Uint8Array,
): Promise<void> {
  const next = `${name}.next`;
  const handle = await directory.getFileHandle(next, { create: true });
  await using(await handle.createSyncAccessHandle(), (file) => {
    file.truncate(0);
    writeAll(file, bytes, 0);
    file.flush();
  });
  await handle.move(name);
}

/** Writes all of `bytes`. Throws VaultError `storage-full`. */
export function writeAll(file: FileSystemSyncAccessHandle, bytes: Uint8Array, at: number): void {
  try {
    if (file.write(bytes as Uint8Array<ArrayBuffer>, { at }) === bytes.length) return;
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "QuotaExceededError") throw error;
  }
  throw storageFull();
}

/** A file that is read in parts, where nobody writes it. `close` frees it. */
export async function openForReading(handle: FileSystemFileHandle): Promise<StoredBytes & { close(): void }> {
  const file = await shared(handle);
  if (file === null) return { ...(await snapshot(handle)), close: () => undefined };
  return {
    size: file.getSize(),
    async read(at, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, file.getSize() - at)));
      return bytes.subarray(0, file.read(bytes, { at }));
    },
    close: () => file.close(),
  };
}

/** A file as it is now, which may be in the middle of being written. */
export async function snapshot(handle: FileSystemFileHandle): Promise<StoredBytes> {
  return blobBytes(await handle.getFile());
}

/** A file that is being written, as long as it is now. A snapshot cannot be read once more was written: then another one is taken. */
export async function growing(handle: FileSystemFileHandle): Promise<StoredBytes> {
  const { size } = await handle.getFile();
  const read = async (at: number, length: number, tries = MOST_TRIES): Promise<Uint8Array> => {
    try {
      return await (await snapshot(handle)).read(at, length);
    } catch (error) {
      if (tries === 1 || !(error instanceof DOMException) || error.name !== "NotReadableError") throw error;
      return read(at, length, tries - 1);
    }
  };
  return { size, read: (at, length) => read(at, length) };
}

export function blobBytes(blob: Blob): StoredBytes {
  return {
    size: blob.size,
    read: async (at, length) => new Uint8Array(await blob.slice(at, at + length).arrayBuffer()),
  };
}

/** Null where the entry is not there. */
export async function found<Handle>(handle: Promise<Handle>): Promise<Handle | null> {
  try {
    return await handle;
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotFoundError") return null;
    throw error;
  }
}

export async function namesIn(directory: FileSystemDirectoryHandle): Promise<string[]> {
  const names: string[] = [];
  for await (const name of directory.keys()) names.push(name);
  return names;
}

export async function using<Result>(
  file: FileSystemSyncAccessHandle,
  work: (file: FileSystemSyncAccessHandle) => Result,
): Promise<Awaited<Result>> {
  try {
    return await work(file);
  } finally {
    file.close();
  }
}

/** Several may read at once, which Chromium alone has. Null where the file is taken, or there is no such thing. */
async function shared(handle: FileSystemFileHandle): Promise<FileSystemSyncAccessHandle | null> {
  try {
    return await handle.createSyncAccessHandle({ mode: "read-only" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "NoModificationAllowedError") return null;
    throw error;
  }
}

declare global {
  /** What the platform's types do not have yet. */
  interface FileSystemFileHandle {
    /** Renames the file, over one of that name. */
    move(name: string): Promise<void>;
    createSyncAccessHandle(options: { mode: "read-only" | "readwrite-unsafe" }): Promise<FileSystemSyncAccessHandle>;
  }
}
