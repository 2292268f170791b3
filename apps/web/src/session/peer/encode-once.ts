import { canEncodeOnce } from "@sealcast/media";

/** With a single receiver nothing is gained, and the browser's own sender follows its network better. */
const FEWEST = 2;

/** Decides whether this person's picture is encoded once for everybody, or for each. */
export class EncodeOnce {
  readonly #try: typeof canEncodeOnce;
  readonly #changed: () => void;
  /** By codec; false until it was tried. */
  readonly #can = new Map<string, boolean>();
  #failed = false;

  /** `changed` is called when the answer may be another one than before. */
  constructor(changed: () => void, attempt: typeof canEncodeOnce = canEncodeOnce) {
    this.#changed = changed;
    this.#try = attempt;
  }

  /** For this many receivers and this codec, in lower case. */
  isOnce(receivers: number, codec: string): boolean {
    if (!this.#can.has(codec)) void this.#find(codec);
    return receivers >= FEWEST && !this.#failed && this.#can.get(codec) === true;
  }

  /** It does not work here after all. */
  fail(): void {
    this.#failed = true;
    this.#changed();
  }

  async #find(codec: string): Promise<void> {
    this.#can.set(codec, false);
    this.#can.set(codec, await this.#try(codec));
    this.#changed();
  }
}
