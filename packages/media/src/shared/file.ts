/** What the page and the worker for files say to each other, and how a file is cut. */

/** Of a chunk before it is sealed: with its tag it fills eight parts of 16,376 bytes. */
export const FILE_CHUNK_BYTES = 8 * 16_376 - 16;
const TAG_BYTES = 16;

/** How many chunks a file has: an empty one has one, which is empty. */
export function fileChunks(size: number): number {
  return Math.max(1, Math.ceil(size / FILE_CHUNK_BYTES));
}

/** Bytes of a chunk: all but the last are whole. */
export function fileChunkBytes(size: number, chunk: number): number {
  return Math.min(FILE_CHUNK_BYTES, size - chunk * FILE_CHUNK_BYTES);
}

export function sealedFileChunkBytes(size: number, chunk: number): number {
  return fileChunkBytes(size, chunk) + TAG_BYTES;
}

/** Where a received file goes as it comes. */
export type FilePlace =
  /** In the origin's private file system, under a name that is free there. */
  | { type: "private"; folder: FileSystemDirectoryHandle; name: string }
  /** Where the person chose. */
  | { type: "chosen"; handle: FileSystemFileHandle };

/** `baseKey` is what importBaseKey makes of 32 bytes, for this file alone. */
export type FileTask =
  | { type: "send"; id: string; file: File; baseKey: CryptoKey }
  | { type: "seal"; id: string; chunk: number }
  | { type: "receive"; id: string; size: number; baseKey: CryptoKey; place: FilePlace }
  | { type: "open"; id: string; chunk: number; sealed: ArrayBuffer }
  | { type: "finish"; id: string }
  | { type: "drop"; id: string };

export interface ToFileWorker {
  number: number;
  task: FileTask;
}

export type FileFailure =
  /** The file is not what it was when it was offered, or cannot be read any more. */
  | "changed"
  /** A chunk does not authenticate. */
  | "damaged"
  /** No room is left. */
  | "full"
  /** It cannot be written there. */
  | "unwritable"
  /** The worker stopped. */
  | "stopped";

/** `value`: a sealed chunk; a finished file, where it is in the private file system; otherwise nothing. */
export type FromFileWorker =
  | { number: number; value: ArrayBuffer | File | null }
  | { number: number; failure: FileFailure };
