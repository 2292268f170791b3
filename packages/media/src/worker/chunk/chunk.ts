import { concat, u32, u64 } from "@sealcast/bytes";
import { AES_256_GCM_SHA512_128, deriveFrameKey, type FrameKey, open, seal } from "@sealcast/crypto";
import type { ChunkTag, ChunkWork, FromSealingWorker, ToSealingWorker } from "../../shared/chunk.ts";

/** Seals and opens the chunks of one session. `bytes` is read before the result resolves, never kept. */
export interface ChunkCipher {
  seal(tag: ChunkTag, bytes: Uint8Array): Promise<ArrayBuffer>;
  /** Null: the chunk did not authenticate. */
  open(tag: ChunkTag, bytes: Uint8Array): Promise<ArrayBuffer | null>;
}

/** Makes the cipher of one session. */
export type CipherOf = (baseKey: CryptoKey, session: bigint) => Promise<ChunkCipher>;

/** Sessions whose keys are kept. Anybody may name any session, and one too many only costs deriving again. */
const MAX_SESSIONS = 64;

/** AES-256-GCM. Key and salt are the session's own, the counter is (frame, chunk), and the whole tag is authenticated. */
export async function aesGcm(baseKey: CryptoKey, session: bigint): Promise<ChunkCipher> {
  const key: FrameKey = await deriveFrameKey(AES_256_GCM_SHA512_128, baseKey, session);
  return {
    seal: (tag, bytes) => seal(key, counterOf(tag), additionalData(tag), bytes),
    open: async (tag, bytes) => (await open(key, counterOf(tag), additionalData(tag), bytes))?.buffer ?? null,
  };
}

/** Two chunks of a session never have the same. */
export function counterOf({ frame, chunk }: ChunkTag): bigint {
  return (BigInt(frame) << 20n) | BigInt(chunk);
}

function additionalData({ frame, chunk, chunks, timestamp }: ChunkTag): Uint8Array<ArrayBuffer> {
  return concat(u64(BigInt(frame)), u32(chunk), u32(chunks), u64(BigInt(timestamp)));
}

/** Works on one chunk after the other, in the order in which they come. */
export class SealingWorker {
  readonly #cipherOf: CipherOf;
  readonly #tell: (message: FromSealingWorker, transfer: Transferable[]) => void;
  readonly #sessions = new Map<bigint, Promise<ChunkCipher>>();
  #baseKey: CryptoKey | null = null;
  #last: Promise<void> = Promise.resolve();
  /** Where a chunk of shared memory is copied to, since Web Crypto reads none: one place that stays in the cache. */
  #scratch = new Uint8Array();

  constructor(cipherOf: CipherOf, tell: (message: FromSealingWorker, transfer: Transferable[]) => void) {
    this.#cipherOf = cipherOf;
    this.#tell = tell;
    tell({ type: "ready" }, []);
  }

  /** Rejects when work cannot be done: a bug, after which this worker is of no use. */
  hear(message: ToSealingWorker): Promise<void> {
    if (message.type === "key") this.#baseKey = message.baseKey;
    else this.#last = this.#last.then(() => this.#work(message.job, message.work));
    return this.#last;
  }

  async #work(job: number, work: ChunkWork): Promise<void> {
    const cipher = await this.#cipher(work.session);
    const data = await cipher[work.side](work.tag, this.#bytes(work));
    this.#tell({ type: "done", job, data }, data === null ? [] : [data]);
  }

  #cipher(session: bigint): Promise<ChunkCipher> {
    const known = this.#sessions.get(session);
    if (known !== undefined) return known;
    if (this.#baseKey === null) throw new Error("a chunk came before the key");
    if (this.#sessions.size >= MAX_SESSIONS) this.#sessions.clear();
    const cipher = this.#cipherOf(this.#baseKey, session);
    this.#sessions.set(session, cipher);
    return cipher;
  }

  #bytes({ from, at, length }: ChunkWork): Uint8Array {
    const there = new Uint8Array(from, at, length);
    if (from instanceof ArrayBuffer) return there;
    if (this.#scratch.length < length) this.#scratch = new Uint8Array(length);
    const here = this.#scratch.subarray(0, length);
    here.set(there);
    return here;
  }
}
