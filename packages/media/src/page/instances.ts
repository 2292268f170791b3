import { draw } from "./draw.ts";

/** Instances are numbers of 19 bits from here on: KIDs with them have four bytes. */
const FIRST = 2 ** 18;

/** The numbers of a member's sealing transforms: no two are the same. */
export class Instances {
  readonly #drawn = new Set<number>();

  /** Drawn, so that it tells nothing of how many there were before; of one length, so that a frame's header does not either. */
  next(): number {
    const drawn = FIRST + (draw() % FIRST);
    if (this.#drawn.has(drawn)) return this.next();
    this.#drawn.add(drawn);
    return drawn;
  }
}
