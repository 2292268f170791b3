import type { FileHandle } from "node:fs/promises";
import type { StoredBytes } from "../src/shared/sealed-reader.ts";

/** A file on this machine, of which any part can be read. It stays the caller's. */
export async function fileBytes(file: FileHandle): Promise<StoredBytes> {
  const { size } = await file.stat();
  return {
    size,
    async read(at, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - at)));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
      return bytes.subarray(0, bytesRead);
    },
  };
}
