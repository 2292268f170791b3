/** Which of its sender's frames one is: of which sealer, and how many that one had sealed before. */
interface Sealed {
  readonly stream: bigint;
  readonly counter: number;
}

/**
 * Which pictures of a relay's groups go on to the decoder. Each builds on the one before it, and the relay alone says which that is:
 * where it is not the one that its sender sealed before, what came out would be a picture that nobody sent.
 */
export class PictureOrder {
  #last: Sealed | null = null;

  /** Whether this one begins a group, or was sealed next after the last that did or followed. If not, none follows before the next group. */
  follows(isKey: boolean, { stream, counter }: Sealed): boolean {
    const isNext = this.#last?.stream === stream && this.#last.counter + 1 === counter;
    this.#last = isKey || isNext ? { stream, counter } : null;
    return this.#last !== null;
  }
}
