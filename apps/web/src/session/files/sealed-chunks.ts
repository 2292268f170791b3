/** Chunks that are kept sealed: those whom a file goes to at about one speed are served from them. */
const MOST_KEPT = 24;

/** The sealed chunks of one file: each is read and sealed once for all who need it at about the same time. */
export class SealedChunks {
  readonly #seal: (chunk: number) => Promise<ArrayBuffer>;
  readonly #ready: () => void;
  readonly #kept = new Map<number, Uint8Array | null>();

  /** `ready`: one that was asked for is there. A chunk that cannot be sealed never is: `seal`'s owner knows. */
  constructor(seal: (chunk: number) => Promise<ArrayBuffer>, ready: () => void) {
    this.#seal = seal;
    this.#ready = ready;
  }

  /** Null: it is being sealed. */
  at(chunk: number): Uint8Array | null {
    const kept = this.#kept.get(chunk);
    if (kept === undefined) void this.#fetch(chunk);
    return kept ?? null;
  }

  /** Has it sealed in advance. */
  prepare(chunk: number): void {
    this.at(chunk);
  }

  async #fetch(chunk: number): Promise<void> {
    this.#kept.set(chunk, null);
    try {
      const sealed = await this.#seal(chunk);
      // The latest one comes last.
      this.#kept.delete(chunk);
      this.#kept.set(chunk, new Uint8Array(sealed));
      this.#forgetOldest();
      this.#ready();
    } catch {
      this.#kept.delete(chunk);
    }
  }

  #forgetOldest(): void {
    const whole = [...this.#kept].filter(([, sealed]) => sealed !== null);
    for (const [chunk] of whole.slice(0, Math.max(0, whole.length - MOST_KEPT))) this.#kept.delete(chunk);
  }
}
