import { ClockOffset } from "@sealcast/metrics";
import { PICTURE_TIMES } from "@sealcast/player/messages";
import { type Clock, type Milli, milli } from "@sealcast/time";

/** Viewers who come together do not ask together. */
const FIRST_WITHIN = 5_000;
/** A host answers a few viewers a second: who gets no answer asks again after this, and each time after four times as long. */
const AGAIN_AFTER = 5_000;
const AGAIN_AT_MOST = 5 * 60_000;
/** Clocks 200 ppm apart differ by 0.1 s more after that. */
const ANSWER_LASTS = 10 * 60_000;
/** The pictures over which the mean goes: a second. */
const PICTURES = 30;

/** How late the picture is shown that comes over relays, by the host's clock, which is asked for now and then. */
export class RelayLatency {
  readonly #clock: Clock;
  readonly #host = new ClockOffset();
  #nextAt: Milli | null = null;
  #unanswered = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the host's clock is to be asked for now; then the answer is waited for. To be called once a reading. */
  isDue(): boolean {
    const now = this.#clock.now();
    this.#nextAt ??= milli(now + Math.random() * FIRST_WITHIN);
    if (now < this.#nextAt) return false;
    this.#nextAt = milli(now + Math.min(AGAIN_AT_MOST, AGAIN_AFTER * 4 ** this.#unanswered));
    this.#unanswered++;
    return true;
  }

  /** What the host answered. Times are milliseconds since 1970, as in `Exchange`. */
  answered(exchange: Parameters<ClockOffset["add"]>[0]): void {
    this.#host.add(exchange);
    this.#unanswered = 0;
    this.#nextAt = milli(this.#clock.now() + ANSWER_LASTS);
  }

  /**
   * From when the last pictures came to the host's encoder until they were shown, milliseconds; null where that is not known.
   *
   * @param pictures as `PlayerFigures.pictures` has them
   */
  of(pictures: Float64Array): number | null {
    const { toHere } = this.#host.estimate ?? {};
    const last = pictures.subarray(-PICTURES * PICTURE_TIMES);
    if (toHere === undefined || last.length === 0) return null;
    let late = 0;
    for (let at = 0; at < last.length; at += PICTURE_TIMES)
      late += (last[at + PICTURE_TIMES - 1] ?? 0) - (last[at] ?? 0) / 1_000 - toHere;
    const mean = late / (last.length / PICTURE_TIMES);
    return mean > 0 ? mean : null;
  }
}
