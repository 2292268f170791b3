import { type Size, smallestFor } from "@sealcast/media";
import type { Milli } from "@sealcast/time";
import { TierByLateness } from "./tier-by-lateness.ts";

/** Which size of a stream's picture a viewer watches over relays: what the page shows needs, and the way carries. */
export class SizeChoice {
  #sizes: readonly Size[] = [];
  #tiers = new TierByLateness(1, 0);
  #shown: Size | null = null;

  /** The way carries less than the largest. */
  get isLate(): boolean {
    return this.#tiers.isLate;
  }

  /** In which the host makes it, the largest first; none where that is not known yet. */
  offered(sizes: readonly Size[]): void {
    const count = Math.max(1, sizes.length);
    if (count !== Math.max(1, this.#sizes.length)) this.#tiers = new TierByLateness(count, count - 1);
    this.#sizes = sizes;
  }

  /** How large the page shows it. While that is nowhere it stays as it is: a glance elsewhere is to cost nothing. */
  shows(shown: Size): void {
    if (shown.width > 0) this.#shown = shown;
  }

  /** To be asked twice a second. @returns the index of a size, 0 for the largest */
  examine(now: Milli, latenessMs: number): number {
    const carried = Math.max(1, this.#sizes.length) - 1 - this.#tiers.examine(now, latenessMs);
    return Math.max(carried, this.#needed);
  }

  get #needed(): number {
    return this.#shown === null ? 0 : smallestFor(this.#sizes, this.#shown);
  }
}
