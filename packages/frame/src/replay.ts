/** Counters behind the highest that can still be told apart: frames overtake each other by far less. */
const SIZE = 1024;

/**
 * Tells whether a frame counter was seen before (a sliding window as in RFC 4303 section 3.4.3). One for each key.
 * Counters of 2^53 and more never come from a sender, as numbers are not exact, and are never fresh.
 */
export class ReplayWindow {
  /** Bit `counter mod SIZE` stands for the one counter in (highest - SIZE, highest] that falls on it. */
  readonly #seen = new Uint32Array(SIZE / 32);
  #highest: number;

  /** Everything up to and including `highest` counts as seen: a window that takes over from another starts there. */
  constructor(highest = -1) {
    this.#highest = highest;
    this.#seen.fill(0xffff_ffff);
  }

  /** The highest counter seen, -1 before the first. */
  get highest(): number {
    return this.#highest;
  }

  /** Whether a frame with this counter is worth opening. Changes nothing: the counter is not to be trusted yet. */
  fresh(counter: number): boolean {
    if (counter > this.#highest) return counter <= Number.MAX_SAFE_INTEGER;
    if (counter <= this.#highest - SIZE) return false;
    return ((this.#seen[wordOf(counter)] ?? 0) & bitOf(counter)) === 0;
  }

  /**
   * Call once the frame's tag has verified, never before. False: another frame with this counter was marked since
   * fresh() was asked, and this one must be dropped.
   */
  mark(counter: number): boolean {
    if (!this.fresh(counter)) return false;
    if (counter > this.#highest) this.#advance(counter);
    const word = wordOf(counter);
    this.#seen[word] = (this.#seen[word] ?? 0) | bitOf(counter);
    return true;
  }

  #advance(highest: number): void {
    if (highest - this.#highest >= SIZE) this.#seen.fill(0);
    else
      for (let skipped = this.#highest + 1; skipped <= highest; skipped++) {
        const word = wordOf(skipped);
        this.#seen[word] = (this.#seen[word] ?? 0) & ~bitOf(skipped);
      }
    this.#highest = highest;
  }
}

function wordOf(counter: number): number {
  return (counter % SIZE) >>> 5;
}

function bitOf(counter: number): number {
  return 1 << (counter % 32);
}
