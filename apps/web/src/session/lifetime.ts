import { type Clock, every, type Milli } from "@sealcast/time";

/** How long a call or stream lasts: what is set up for it says at once what undoes it, and all of that is done at its end. */
export class Lifetime {
  /** By which everything in it waits. */
  readonly clock: Clock;
  readonly #ends: (() => void)[] = [];
  #isOver = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** `end` is called at the end, at once where that has come already. */
  bind(end: () => void): void {
    if (this.#isOver) end();
    else this.#ends.push(end);
  }

  on(target: EventTarget | undefined, type: string, listener: () => void): void {
    target?.addEventListener(type, listener);
    this.bind(() => target?.removeEventListener(type, listener));
  }

  /** Over and over, for the first time `gap` from now. */
  every(gap: Milli, run: () => void): void {
    this.bind(every(this.clock, gap, run));
  }

  /** Once, `delay` from now. */
  after(delay: Milli, run: () => void): void {
    this.bind(this.clock.after(delay, run));
  }

  /** In the order in which it was set up. */
  end(): void {
    this.#isOver = true;
    for (const end of this.#ends.splice(0)) end();
  }
}
