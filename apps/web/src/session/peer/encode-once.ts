import { canEncodeOnce } from "@sealcast/media";
import { type Cancel, type Clock, milli } from "@sealcast/time";

/** With a single receiver nothing is gained, and the browser's own sender follows its network better. */
const FEWEST = 2;
/** From a failure to the next try, in milliseconds: twice as long each time. */
const AGAIN = 10_000;
const AGAIN_AT_MOST = 600_000;

/** Decides whether this person's picture is encoded once for everybody, or for each. */
export class EncodeOnce {
  readonly #clock: Clock;
  readonly #try: typeof canEncodeOnce;
  readonly #changed: () => void;
  /** By codec; false until it was tried. */
  readonly #can = new Map<string, boolean>();
  #hasFailed = false;
  #failures = 0;
  #cancel: Cancel = () => undefined;

  /** `changed` is called when the answer may be another one than before. */
  constructor(clock: Clock, changed: () => void, attempt: typeof canEncodeOnce = canEncodeOnce) {
    this.#clock = clock;
    this.#changed = changed;
    this.#try = attempt;
  }

  /** For this many receivers and this codec, in lower case. */
  isOnce(receivers: number, codec: string): boolean {
    if (!this.#can.has(codec)) void this.#find(codec);
    return receivers >= FEWEST && !this.#hasFailed && this.#can.get(codec) === true;
  }

  /** An encoder gave up. It is tried again, ever later: what broke it may be over, and relays have nothing without it. */
  fail(): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const after = Math.min(AGAIN * 2 ** this.#failures++, AGAIN_AT_MOST);
    this.#cancel = this.#clock.after(milli(after), () => {
      this.#hasFailed = false;
      this.#changed();
    });
    this.#changed();
  }

  /** It is not tried again. */
  close(): void {
    this.#cancel();
  }

  async #find(codec: string): Promise<void> {
    this.#can.set(codec, false);
    this.#can.set(codec, await this.#try(codec));
    this.#changed();
  }
}
