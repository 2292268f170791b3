import { type Clock, TokenBucket } from "@sealcast/time";
import { type GroupMember, LEAF_MESSAGES } from "../../shared/messages.ts";

/** How much of what a leaf may say is left to each. */
export class LeafBudgets {
  readonly #clock: Clock;
  readonly #exceeded: (leafKeyId: string) => void;
  readonly #left = new Map<string, TokenBucket>();
  readonly #floods = new Set<string>();

  /** `exceeded` is called once for each leaf that says more. */
  constructor(clock: Clock, exceeded: (leafKeyId: string) => void) {
    this.#clock = clock;
    this.#exceeded = exceeded;
  }

  /** The group has these members now: of those who have gone nothing is kept. */
  enter(members: readonly GroupMember[]): void {
    const here = new Set(members.map(({ leafKeyId }) => leafKeyId));
    for (const kept of [this.#left, this.#floods])
      for (const leafKeyId of kept.keys()) if (!here.has(leafKeyId)) kept.delete(leafKeyId);
  }

  /** Whether that leaf's next message counts. */
  tryTake({ leafKeyId }: GroupMember): boolean {
    const left = this.#left.get(leafKeyId) ?? new TokenBucket(LEAF_MESSAGES, this.#clock);
    this.#left.set(leafKeyId, left);
    if (left.tryTake()) return true;
    if (!this.#floods.has(leafKeyId)) this.#exceeded(leafKeyId);
    this.#floods.add(leafKeyId);
    return false;
  }
}
