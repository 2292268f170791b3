/** One question and its answer. Each end's times are milliseconds of its own clock. */
export interface Exchange {
  /** When the question left here, and its answer came. */
  readonly asked: number;
  readonly answered: number;
  /** When the question came there, and the answer left. */
  readonly came: number;
  readonly left: number;
}

/** How another computer's clock stands to this one's. */
export interface Relation {
  /** Milliseconds to add to a time of the other side's clock. */
  readonly toHere: number;
  /** The truth is no more milliseconds away than this, whatever each way took. */
  readonly within: number;
}

/** Quick exchanges are the ones that say something: the quickest of these counts. */
const KEPT = 16;

/** Relates two clocks as NTP does (RFC 5905 section 8), from exchanges over any channel. */
export class ClockOffset {
  readonly #kept: Relation[] = [];

  /** Ignores an exchange that cannot have been: an answer that took longer there than here. */
  add({ asked, came, left, answered }: Exchange): void {
    const trip = answered - asked - (left - came);
    if (!(trip >= 0 && left >= came)) return;
    const toHere = (asked - came + (answered - left)) / 2;
    this.#kept.push({ toHere, within: trip / 2 });
    if (this.#kept.length > KEPT) this.#kept.shift();
  }

  /** Null before the first exchange. */
  get estimate(): Relation | null {
    return this.#kept.reduce<Relation | null>(
      (best, next) => (best === null || next.within < best.within ? next : best),
      null,
    );
  }
}
