import { type Clock, type Rate, TokenBucket } from "@sealcast/time";

/** Who sent a message: a leaf, by its key id, and whose it is. */
export interface MessageSender {
  readonly id: string;
  readonly identity: string;
}

/**
 * How much of a rate is left to each member. It goes by identity and not by leaf: who leaves and comes back has another
 * leaf, and what they had left.
 */
export class MemberBudgets {
  readonly #rate: Rate;
  readonly #clock: Clock;
  readonly #left = new Map<string, TokenBucket>();

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Whether that member's next message counts. */
  tryTake({ identity }: Pick<MessageSender, "identity">): boolean {
    return this.#of(identity).tryTake();
  }

  #of(identity: string): TokenBucket {
    const known = this.#left.get(identity);
    if (known !== undefined) return known;
    // One that is full is like a fresh one, so of those who went long ago nothing is kept.
    for (const [other, bucket] of this.#left) if (bucket.isFull) this.#left.delete(other);
    const fresh = new TokenBucket(this.#rate, this.#clock);
    this.#left.set(identity, fresh);
    return fresh;
  }
}
