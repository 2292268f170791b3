const TOTAL = 32 * 1024 * 1024;
/** A dozen short messages, or the last commits of a small group. */
const SHARE = 16 * 1024;

/** What rooms keep for those who come back, in characters, all together: past a total each room keeps but a small share. */
export class Allowance {
  readonly #total: number;
  #used = 0;

  constructor(total = TOTAL) {
    this.#total = total;
  }

  get used(): number {
    return this.#used;
  }

  /** Negative gives back. */
  use(characters: number): void {
    this.#used += characters;
  }

  /** How much one room may keep at this moment, of what it usually may. */
  limit(usual: number): number {
    return this.#used > this.#total ? Math.min(usual, SHARE) : usual;
  }
}
