import type { CounterFloor } from "@sealcast/keys/messages";
import { type Milli, milli } from "@sealcast/time";

/**
 * A relay has newcomers begin with the group of pictures that it has, which is 2 s long and may be late. Who cannot open that
 * sees nothing before the next one.
 */
const BEFORE = milli(4_000);
/** What was known longer ago stands for a page that stood still: a newcomer waits for the next group then. */
const TOO_OLD = milli(6_000);

/** From which frames on newcomers open what several viewers get: those of the last seconds, and nothing of before. */
export class OpenedFrom {
  readonly #known: { readonly at: Milli; readonly floors: CounterFloor[] }[] = [];

  /** `floors`: what was sealed by `now`. @returns what nobody who comes now is to open, nor anything sealed before it */
  sealed(now: Milli, floors: CounterFloor[]): CounterFloor[] {
    this.#known.push({ at: now, floors });
    const latest = this.#known.findLastIndex(({ at }) => now - at >= BEFORE);
    this.#known.splice(0, latest);
    const [known, next] = this.#known;
    return (known && next && now - known.at > TOO_OLD ? next : known)?.floors ?? floors;
  }
}
