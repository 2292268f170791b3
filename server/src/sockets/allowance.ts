const TOTAL = 32 * 1024 * 1024;

/** One part of what is kept, that of a room's messages say. */
export interface AllowanceShare {
  /** In characters. */
  readonly size: number;
  /** Negative gives back. It may call `dropOldest` of any share, this one included. */
  use(characters: number): void;
}

interface Holder {
  size: number;
  readonly dropOldest: () => void;
}

/**
 * What rooms keep for those who come back, in characters, all together. Past a total the largest share loses its oldest,
 * to a factor of two; of several such, the one that has kept nothing new for longest.
 */
export class Allowance {
  readonly #total: number;
  readonly #wider: Allowance | null;
  /** By the number of binary digits of their sizes: the largest is found at once. The idlest of a set comes first. */
  readonly #byDigits: Set<Holder>[] = Array.from({ length: 33 }, () => new Set());
  #used = 0;

  /** What is used of this one is used of `wider`, too. */
  constructor(total = TOTAL, wider: Allowance | null = null) {
    this.#total = total;
    this.#wider = wider;
  }

  get used(): number {
    return this.#used;
  }

  /** `dropOldest` gives some of it back, as long as it has a size. */
  share(dropOldest: () => void): AllowanceShare {
    const holder: Holder = { size: 0, dropOldest };
    const above = this.#wider?.share(dropOldest);
    return {
      get size() {
        return holder.size;
      },
      use: (characters) => {
        this.#use(holder, characters);
        above?.use(characters);
        while (characters > 0 && this.#used > this.#total) this.#largest()?.dropOldest();
      },
    };
  }

  #use(holder: Holder, characters: number): void {
    const before = digitsOf(holder.size);
    holder.size += characters;
    this.#used += characters;
    const after = digitsOf(holder.size);
    if (after === before && characters < 0) return;
    this.#byDigits[before]?.delete(holder);
    if (after > 0) this.#byDigits[after]?.add(holder);
  }

  #largest(): Holder | undefined {
    const [holder] = this.#byDigits.findLast((holders) => holders.size > 0) ?? [];
    return holder;
  }
}

const digitsOf = (size: number): number => 32 - Math.clz32(size);
