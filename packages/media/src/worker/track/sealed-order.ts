/** Which of its sender's frames one is: of which sealer, and how many that one had sealed before. */
export interface SealedPlace {
  readonly stream: bigint;
  readonly counter: number;
}

/** Which frames go on where a relay says in which order they come: those of each sealer in the order in which it made them. */
export class SealedOrder {
  /** The counter of the last that went on, by sealer: each counts for itself, and goes on when the epoch changes. */
  readonly #last = new Map<bigint, number>();

  follows({ stream, counter }: SealedPlace): boolean {
    if (counter <= (this.#last.get(stream) ?? -1)) return false;
    this.#last.set(stream, counter);
    return true;
  }
}
