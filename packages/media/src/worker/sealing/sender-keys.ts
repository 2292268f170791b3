import type { FrameCipher } from "@sealcast/crypto";
import { ReplayWindow, sealedKid } from "@sealcast/frame";
import { type Clock, milli } from "@sealcast/time";

/** Sealers of one source that are told apart in one epoch: each reconnection and each size of a source has its own. */
const MAX_INSTANCES = 256;
/** KIDs under which nothing has authenticated yet: each frame of one costs the derivation of a key. */
const MAX_TRIED_PER_SECOND = 32;
const SECOND = milli(1_000);

/**
 * What frames of one leaf's one source are opened with in one epoch, and which of their counters were seen. A KID is kept
 * from the first frame on that authenticates under it: made-up KIDs leave nothing here.
 */
export class SenderKeys {
  readonly #derive: (kid: bigint) => Promise<FrameCipher>;
  readonly #floorOf: (kid: bigint) => number;
  readonly #clock: Clock;
  readonly #ciphers = new Map<bigint, FrameCipher>();
  /** By the KID under which a sealer seals: its readable frames share the window. */
  readonly #windows = new Map<bigint, ReplayWindow>();
  /** The KID that was tried last: frames under it that do not authenticate cost one key. */
  #tried: { kid: bigint; cipher: Promise<FrameCipher> } | null = null;
  #second = { began: milli(Number.NEGATIVE_INFINITY), count: 0 };

  /** `floorOf` a sealed KID: nothing at or below opens; -1 for none. */
  constructor(derive: (kid: bigint) => Promise<FrameCipher>, floorOf: (kid: bigint) => number, clock: Clock) {
    this.#clock = clock;
    this.#derive = derive;
    this.#floorOf = floorOf;
  }

  /** The highest counter opened of each of its sealers, by the KID under which that one seals. */
  get highest(): [kid: bigint, counter: number][] {
    return [...this.#windows].map(([kid, { highest }]) => [kid, highest]);
  }

  /** Whether a frame is worth opening. */
  isFresh(kid: bigint, counter: number): boolean {
    const stream = sealedKid(kid);
    return this.#windows.get(stream)?.fresh(counter) ?? counter > this.#floorOf(stream);
  }

  /** A promise for a KID that is not kept yet: local work, never a wait for a key to arrive. Null: too many were tried or are kept. */
  cipher(kid: bigint): FrameCipher | Promise<FrameCipher> | null {
    const known = this.#ciphers.get(kid);
    if (known !== undefined) return known;
    if (this.#tried?.kid === kid) return this.#tried.cipher;
    const isFull = this.#windows.size >= MAX_INSTANCES && !this.#windows.has(sealedKid(kid));
    if (isFull || !this.#mayTry()) return null;
    this.#tried = { kid, cipher: this.#derive(kid) };
    return this.#tried.cipher;
  }

  /**
   * Marks a frame that authenticated under this cipher, and keeps the cipher.
   *
   * @returns how many counters are missing between the highest seen and this one; null: this one was seen meanwhile.
   */
  accept(kid: bigint, cipher: FrameCipher, counter: number): number | null {
    const stream = sealedKid(kid);
    const window = this.#windows.get(stream) ?? new ReplayWindow(this.#floorOf(stream));
    const missing = Math.max(counter - window.highest - 1, 0);
    if (!window.mark(counter)) return null;
    this.#windows.set(stream, window);
    this.#ciphers.set(kid, cipher);
    return missing;
  }

  #mayTry(): boolean {
    const now = this.#clock.now();
    if (now - this.#second.began >= SECOND) this.#second = { began: now, count: 0 };
    this.#second.count++;
    return this.#second.count <= MAX_TRIED_PER_SECOND;
  }
}
