import { concat } from "@sealcast/bytes";
import type { ChaCha } from "@sealcast/crypto/chacha";
import { digestOf } from "./digests.ts";
import { VaultError } from "./error.ts";
import { CHUNK_BYTES, chunkAt, chunkNonce } from "./payload.ts";

/** Seals chunks under one key, each index at most once: a nonce that came twice would give both chunks away. */
export class ChunkSealer {
  readonly #cipher: ChaCha;
  readonly #done = new Set<number>();

  constructor(cipher: ChaCha) {
    this.#cipher = cipher;
  }

  /** @throws Error for an index that was sealed before, whatever became of it */
  seal(index: number, isLast: boolean, chunk: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#done.has(index)) throw new Error(`chunk ${index} was sealed under this key before`);
    if (chunk.length > CHUNK_BYTES || (!isLast && chunk.length < CHUNK_BYTES))
      throw new RangeError(`a chunk of ${chunk.length} bytes is not whole`);
    this.#done.add(index);
    return this.#cipher.seal(chunkNonce(index, isLast), chunk);
  }
}

/** Writes sealed bytes; `at` counts from the payload's start. Throws VaultError `storage-full` where there is no room. */
export type Put = (sealed: Uint8Array, at: number) => void;

/**
 * Seals a file in the order in which it comes: appended only, one call after the other. What does not fill a chunk waits
 * in `tail`, since only the end tells which chunk is the last.
 */
export class SealedWriter {
  readonly #sealer: ChunkSealer;
  readonly #put: Put;
  readonly #digests: Uint8Array[] = [];
  #tail: Uint8Array = new Uint8Array();
  /** A chunk that is sealed and for which there was no room. */
  #waiting: Uint8Array | null = null;

  constructor(cipher: ChaCha, put: Put) {
    this.#sealer = new ChunkSealer(cipher);
    this.#put = put;
  }

  /** Chunks that are sealed and written. */
  get chunks(): number {
    return this.#digests.length;
  }

  /** What came and is in no chunk yet: 1 to 65,536 bytes, none only at the start. A view; do not change it. */
  get tail(): Uint8Array {
    return this.#tail;
  }

  /**
   * Resolves when all whole chunks are written. `bytes` may be changed afterwards.
   *
   * @throws VaultError `storage-full`: nothing more is taken, and `finish` keeps what fits
   */
  async append(bytes: Uint8Array): Promise<void> {
    if (this.#waiting !== null) throw storageFull();
    const all = concat(this.#tail, bytes);
    let at = 0;
    // The last chunk may be a whole one, and says that it is the last: it is kept back until more comes.
    for (; all.length - at > CHUNK_BYTES; at += CHUNK_BYTES) {
      this.#waiting = await this.#sealer.seal(this.chunks, false, all.subarray(at, at + CHUNK_BYTES));
      this.#tail = all.slice(at + CHUNK_BYTES, at + 2 * CHUNK_BYTES);
      await this.#write();
    }
    this.#tail = all.slice(at);
  }

  /** Writes the last chunk. Resolves with the digests of all, one after the other. Needs room for two chunks at most. */
  async finish(): Promise<Uint8Array> {
    await this.#write();
    this.#waiting = await this.#sealer.seal(this.chunks, true, this.#tail);
    await this.#write();
    this.#tail = new Uint8Array();
    return concat(...this.#digests);
  }

  /** Where there was no room the same bytes are written again: nothing is sealed a second time. */
  async #write(): Promise<void> {
    if (this.#waiting === null) return;
    this.#put(this.#waiting, chunkAt(this.chunks));
    this.#digests.push(await digestOf(this.#waiting));
    this.#waiting = null;
  }
}

export function storageFull(): VaultError {
  return new VaultError("storage-full", "The storage is full. What was written is kept; free some space to go on.");
}
