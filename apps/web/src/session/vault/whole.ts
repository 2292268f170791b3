import { type OpenFile, VaultError } from "@sealcast/vault";

/** Of a file that is opened as a whole to be shown: it takes as much memory. */
const MOST_WHOLE_BYTES = 256 * 1024 * 1024;
const PART_BYTES = 4 * 1024 * 1024;

/**
 * All of a file. Each part is authenticated before any is shown.
 *
 * @throws VaultError `too-large`, and what `read` rejects with
 */
export async function wholeOf(file: Pick<OpenFile, "size" | "read" | "entry">, signal: AbortSignal): Promise<Blob> {
  const size = await file.size();
  if (size > MOST_WHOLE_BYTES) throw new VaultError("too-large", "Files of this kind are shown up to 256 MiB.");
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < size; at += PART_BYTES) {
    signal.throwIfAborted();
    parts.push(new Uint8Array(await file.read(at, PART_BYTES)));
  }
  return new Blob(parts, { type: file.entry.kind });
}
