import { type Clock, dropOldest, type Milli } from "@sealcast/time";

/** Some seconds of video. */
const KEPT = 128;

/** When a picture was where. */
interface Passed {
  readonly taken: Milli;
  decoded: Milli;
  due: Milli;
}

/** The times of the last pictures. Memory is fixed. */
export class PictureTimes {
  readonly #clock: Clock;
  /** Of those that are not shown yet, by the sender's time. */
  readonly #passed = new Map<number, Passed>();
  readonly #shown: (readonly number[])[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Its frame goes to the decoder. */
  taken(timestampUs: number): void {
    const now = this.#clock.now();
    this.#passed.set(timestampUs, { taken: now, decoded: now, due: now });
    dropOldest(this.#passed, KEPT);
  }

  decoded(timestampUs: number): void {
    const passed = this.#passed.get(timestampUs);
    if (passed !== undefined) passed.decoded = this.#clock.now();
  }

  /** It is its turn. */
  due(timestampUs: number): void {
    const passed = this.#passed.get(timestampUs);
    if (passed !== undefined) passed.due = this.#clock.now();
  }

  /** It is drawn, or the page has it. */
  shown(timestampUs: number): void {
    const passed = this.#passed.get(timestampUs);
    if (passed === undefined) return;
    this.#passed.delete(timestampUs);
    const times = [passed.taken, passed.decoded, passed.due, this.#clock.now()];
    this.#shown.push([timestampUs, ...times.map((time) => performance.timeOrigin + time)]);
    if (this.#shown.length > KEPT) this.#shown.shift();
  }

  /** In the order of `PlayerFigures.pictures`. */
  get all(): Float64Array<ArrayBuffer> {
    return new Float64Array(this.#shown.flat());
  }
}
