/** How long a call or stream lasts: what is set up for it says at once what undoes it, and all of that is done at its end. */
export class Lifetime {
  readonly #ends: (() => void)[] = [];
  #isOver = false;

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

  /** Every `ms` milliseconds. */
  every(ms: number, run: () => void): void {
    const timer = setInterval(run, ms);
    this.bind(() => clearInterval(timer));
  }

  /** Once, after `ms` milliseconds. */
  after(ms: number, run: () => void): void {
    const timer = setTimeout(run, ms);
    this.bind(() => clearTimeout(timer));
  }

  /** In the order in which it was set up. */
  end(): void {
    this.#isOver = true;
    for (const end of this.#ends.splice(0)) end();
  }
}
