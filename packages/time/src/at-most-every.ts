import type { Clock } from "./clock.ts";
import { type Milli, milli } from "./units.ts";

/** `act`, at once where the last time is `gap` ago; calls within it are put off to its end, as one. */
export function atMostEvery(clock: Clock, gap: Milli, act: () => void): () => void {
  let last = milli(Number.NEGATIVE_INFINITY);
  let isDue = false;
  const now = () => {
    isDue = false;
    last = clock.now();
    act();
  };
  return () => {
    if (isDue) return;
    const wait = last + gap - clock.now();
    if (wait <= 0) return now();
    isDue = true;
    clock.after(milli(wait), now);
  };
}
