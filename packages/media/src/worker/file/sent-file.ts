import { equal } from "@sealcast/bytes";
import { FILE_CHUNK_BYTES, fileChunkBytes, fileChunks } from "../../shared/file.ts";
import { aesGcm, type ChunkCipher } from "../chunk/chunk.ts";
import { FileError } from "./file-error.ts";

/** A key is one file's: there is one session, and one payload in it. */
const SESSION = 0n;

/** The cipher of one file's chunks: each is bound to its place, and to how many there are. */
export async function fileCipher(baseKey: CryptoKey, size: number): Promise<FileCipher> {
  const cipher: ChunkCipher = await aesGcm(baseKey, SESSION);
  const tag = (chunk: number) => ({ frame: 0, chunk, chunks: fileChunks(size), timestamp: 0 });
  return {
    seal: (chunk, bytes) => cipher.seal(tag(chunk), bytes),
    open: (chunk, sealed) => cipher.open(tag(chunk), sealed),
  };
}

interface FileCipher {
  seal(chunk: number, bytes: Uint8Array): Promise<ArrayBuffer>;
  /** Null: it does not authenticate. */
  open(chunk: number, sealed: Uint8Array): Promise<ArrayBuffer | null>;
}

/**
 * A file that is read and sealed chunk by chunk. A chunk may be sealed again, for who is behind the others: only where it holds the
 * same bytes. Others under the same nonce would give both away.
 */
export class SentFile {
  readonly #file: File;
  readonly #cipher: Promise<FileCipher>;
  readonly #digests = new Map<number, Uint8Array>();

  constructor(file: File, baseKey: CryptoKey) {
    this.#file = file;
    this.#cipher = fileCipher(baseKey, file.size);
  }

  /** @throws FileError `changed` */
  async seal(chunk: number): Promise<ArrayBuffer> {
    const bytes = await this.#read(chunk);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const before = this.#digests.get(chunk);
    if (before !== undefined && !equal(before, digest)) throw new FileError("changed");
    this.#digests.set(chunk, digest);
    return (await this.#cipher).seal(chunk, bytes);
  }

  async #read(chunk: number): Promise<Uint8Array<ArrayBuffer>> {
    const at = chunk * FILE_CHUNK_BYTES;
    const length = fileChunkBytes(this.#file.size, chunk);
    const part = this.#file.slice(at, at + length).arrayBuffer();
    const bytes = new Uint8Array(
      await part.catch((error: unknown) => {
        throw new FileError("changed", error);
      }),
    );
    if (bytes.length !== length) throw new FileError("changed");
    return bytes;
  }
}
