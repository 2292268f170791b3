/** What the page and a chunk worker say to each other. */

/** Which chunk of which payload this is. Authenticated with the chunk, so that none can take another's place. */
export interface ChunkTag {
  /** Number of the payload among those of its session; 0..2^44-1. */
  frame: number;
  /** Place of the chunk in its payload; 0..2^20-1. */
  chunk: number;
  /** How many chunks the payload has. */
  chunks: number;
  /** Of the payload, in whole microseconds. */
  timestamp: number;
}

/** One chunk's work. */
export interface ChunkWork {
  side: "seal" | "open";
  /** Random number of the sealing pool: no two pools seal under one key. */
  session: bigint;
  tag: ChunkTag;
  /** Holds the chunk at `at`, `length` bytes long. Shared memory is read in place, anything else is transferred. */
  from: ArrayBuffer | SharedArrayBuffer;
  at: number;
  length: number;
}

export type ToSealingWorker =
  /** Comes first. An HKDF key, not extractable. */
  { type: "key"; baseKey: CryptoKey } | { type: "work"; job: number; work: ChunkWork };

export type FromSealingWorker =
  /** The worker's script has loaded: it may be given work. */
  | { type: "ready" }
  /** The result is transferred; null: the chunk did not authenticate. */
  | { type: "done"; job: number; data: ArrayBuffer | null };
