import type { ChaCha } from "@sealcast/crypto/chacha";
import { digestAt, digestOf } from "./digests.ts";
import { VaultError } from "./error.ts";
import {
  CHUNK_BYTES,
  chunkAt,
  chunkCount,
  chunkNonce,
  NONCE_BYTES,
  payloadCipher,
  plaintextBytes,
  SEALED_CHUNK_BYTES,
} from "./payload.ts";

/** Bytes that lie somewhere, of which any part can be read. */
export interface StoredBytes {
  readonly size: number;
  /** Exactly `length` bytes from `at`; fewer only at the end. */
  read(at: number, length: number): Promise<Uint8Array>;
}

interface Options {
  /** SHA-256 of each sealed chunk, as signed: every chunk that is read is held against its own. */
  readonly digests?: Uint8Array;
}

/** No more chunks are opened at a time: what a reader holds is bounded. */
const AT_ONCE = 64;

/** Reads any part of a sealed payload, and opens just the chunks that it takes. */
export class SealedReader {
  #size: number;
  readonly #payload: StoredBytes;
  readonly #cipher: ChaCha;
  readonly #options: Options;
  readonly #isFinished: boolean;

  private constructor(payload: StoredBytes, cipher: ChaCha, size: number, isFinished: boolean, options: Options) {
    this.#payload = payload;
    this.#cipher = cipher;
    this.#size = size;
    this.#isFinished = isFinished;
    this.#options = options;
  }

  /** Bytes of the file itself. */
  get size(): number {
    return this.#size;
  }

  /**
   * A finished payload: its last chunk is opened first, so that one that was cut off or extended is refused.
   *
   * @throws VaultError `tampered`
   */
  static async open(payload: StoredBytes, fileKey: Uint8Array, options: Options = {}): Promise<SealedReader> {
    const size = plaintextBytes(payload.size);
    if (size === null) throw new VaultError("tampered", "The file is cut off: no whole file has this length.");
    const cipher = await payloadCipher(fileKey, await payload.read(0, NONCE_BYTES));
    const reader = new SealedReader(payload, cipher, size, true, options);
    await reader.#chunk(chunkCount(size) - 1);
    return reader;
  }

  /** One that is still being written, or whose writer ended early: what whole chunks there are so far. */
  static async openUnfinished(payload: StoredBytes, fileKey: Uint8Array): Promise<SealedReader> {
    const chunks = Math.max(0, Math.floor((payload.size - NONCE_BYTES) / SEALED_CHUNK_BYTES));
    const cipher = await payloadCipher(fileKey, await payload.read(0, NONCE_BYTES));
    return new SealedReader(payload, cipher, chunks * CHUNK_BYTES, false, {});
  }

  /** Of an unfinished payload, leaves out chunks at its end that do not authenticate. */
  async dropTorn(): Promise<void> {
    while (this.size > 0) {
      const last = await this.#chunk(this.size / CHUNK_BYTES - 1).catch((error: unknown) => {
        if (error instanceof VaultError) return null;
        throw error;
      });
      if (last !== null) return;
      this.#size -= CHUNK_BYTES;
    }
  }

  /**
   * Bytes `at` to `at + length` of the file, fewer only where it ends before.
   *
   * @throws VaultError `tampered` for a chunk that does not authenticate: nothing of it is given
   */
  async read(at: number, length: number): Promise<Uint8Array> {
    if (!(Number.isSafeInteger(at) && Number.isSafeInteger(length)) || at < 0 || length < 0)
      throw new RangeError(`${length} bytes from ${at} cannot be read`);
    const end = Math.min(at + length, this.size);
    const whole = new Uint8Array(Math.max(0, end - at));
    if (whole.length === 0) return whole;
    const [first, last] = [Math.floor(at / CHUNK_BYTES), Math.floor((end - 1) / CHUNK_BYTES)];
    for (let index = first; index <= last; index += AT_ONCE) {
      const chunks = await this.#chunks(index, Math.min(AT_ONCE, last - index + 1));
      for (const [i, chunk] of chunks.entries()) {
        const begin = (index + i) * CHUNK_BYTES;
        const from = Math.max(at - begin, 0);
        whole.set(chunk.subarray(from, Math.max(from, end - begin)), begin + from - at);
      }
    }
    return whole;
  }

  async #chunk(index: number): Promise<Uint8Array> {
    const [chunk] = await this.#chunks(index, 1);
    if (chunk === undefined) throw new VaultError("internal", "A chunk was asked for and none came.");
    return chunk;
  }

  async #chunks(first: number, count: number): Promise<Uint8Array[]> {
    const sealed = await this.#payload.read(chunkAt(first), count * SEALED_CHUNK_BYTES);
    const parts = Array.from({ length: count }, (_, i) =>
      sealed.subarray(i * SEALED_CHUNK_BYTES, (i + 1) * SEALED_CHUNK_BYTES),
    );
    return Promise.all(parts.map((part, i) => this.#open(first + i, part)));
  }

  async #isSigned(index: number, sealed: Uint8Array): Promise<boolean> {
    const { digests } = this.#options;
    return digests === undefined || digestAt(digests, index, await digestOf(sealed));
  }

  async #open(index: number, sealed: Uint8Array): Promise<Uint8Array> {
    const isLast = this.#isFinished && index === chunkCount(this.size) - 1;
    const [isSigned, chunk] = await Promise.all([
      this.#isSigned(index, sealed),
      this.#cipher.open(chunkNonce(index, isLast), sealed),
    ]);
    if (chunk === null || !isSigned)
      throw new VaultError("tampered", `Part ${index} of the file was altered. It is not shown; get another copy.`);
    return chunk;
  }
}
