import { type Milli, milli } from "@sealcast/time";

/** Frames that come later than this are a connection that is too slow. */
const SLOW_MS = 400;
const FINE_MS = 120;
/** For how long it has to be so. */
const SLOW_FOR = milli(1_500);
const FINE_FOR = milli(10_000);
/** What was before a pause so long says nothing of now. */
const PAUSE = milli(1_500);
/** After a tier that was too much, the next try waits twice as long. */
const MOST_FINE_FOR = milli(160_000);
/** A tier that lasted so long was not too much. */
const LASTED = milli(60_000);

/** Which of a stream's tiers a connection carries, by how late frames come. Tiers count from 0, the smallest. */
export class TierByLateness {
  readonly #count: number;
  #tier: number;
  #slowSince: Milli | null = null;
  #fineSince: Milli | null = null;
  #fineFor = FINE_FOR;
  #raisedAt: Milli | null = null;
  #examinedAt: Milli | null = null;
  #isLate = false;

  constructor(count: number, first: number) {
    this.#count = count;
    this.#tier = first;
  }

  /** A connection on the way was too slow for a tier, and since then the largest has not been watched without that for a while. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** To be asked about twice a second. @returns the tier to watch from now on. */
  examine(now: Milli, latenessMs: number): number {
    if (this.#examinedAt !== null && now - this.#examinedAt >= PAUSE) [this.#slowSince, this.#fineSince] = [null, null];
    this.#examinedAt = now;
    this.#slowSince = latenessMs > SLOW_MS ? (this.#slowSince ?? now) : null;
    this.#fineSince = latenessMs < FINE_MS ? (this.#fineSince ?? now) : null;
    if (this.#raisedAt !== null && now - this.#raisedAt >= LASTED) {
      this.#raisedAt = null;
      this.#fineFor = FINE_FOR;
    }
    if (this.#slowSince !== null && now - this.#slowSince >= SLOW_FOR) this.#lower();
    else if (this.#fineSince !== null && now - this.#fineSince >= this.#fineFor) this.#raise(now);
    return this.#tier;
  }

  #lower(): void {
    this.#isLate = true;
    if (this.#tier > 0) this.#tier--;
    if (this.#raisedAt !== null) this.#fineFor = milli(Math.min(MOST_FINE_FOR, 2 * this.#fineFor));
    this.#raisedAt = null;
    this.#slowSince = null;
  }

  #raise(now: Milli): void {
    this.#fineSince = now;
    if (this.#tier === this.#count - 1) {
      this.#isLate = false;
      return;
    }
    this.#tier++;
    this.#raisedAt = now;
  }
}
