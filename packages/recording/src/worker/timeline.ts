import { type Clock, type Milli, milli } from "@sealcast/time";

/** The time of a recording: it stands still during pauses, so that they leave no gap. It begins at 0, standing still. */
export class Timeline {
  readonly #clock: Clock;
  #seconds = 0;
  #since: Milli | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isRunning(): boolean {
    return this.#since !== null;
  }

  get seconds(): number {
    return this.#since === null ? this.#seconds : this.#seconds + (this.#clock.now() - this.#since) / 1_000;
  }

  run(): void {
    this.#since ??= this.#clock.now();
  }

  hold(): void {
    this.#seconds = this.seconds;
    this.#since = null;
  }

  /** Takes time back out that has passed. */
  leaveOut(seconds: number): void {
    if (this.#since !== null) this.#since = milli(this.#since + seconds * 1_000);
  }
}
