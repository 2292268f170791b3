import { SealedOrder, type SealedPlace } from "./sealed-order.ts";

/**
 * Which pictures of a relay's groups go on to the decoder. Each builds on the one before it, and the relay alone says which that is:
 * where it is not the one that its sender sealed before, what came out would be a picture that nobody sent.
 */
export class PictureOrder {
  readonly #order = new SealedOrder();
  #last: SealedPlace | null = null;

  /** Whether this one begins a later group, or was sealed next after the last that did or followed. If not, none follows before the next group. */
  follows({ stream, counter }: SealedPlace, isKey: boolean): boolean {
    const isNext = this.#last?.stream === stream && this.#last.counter + 1 === counter;
    const goesOn = (isKey || isNext) && this.#order.follows({ stream, counter });
    this.#last = goesOn ? { stream, counter } : null;
    return goesOn;
  }
}
