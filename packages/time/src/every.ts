import type { Cancel, Clock } from "./clock.ts";
import type { Milli } from "./units.ts";

/** Runs `act` over and over, for the first time `gap` from now. */
export function every(clock: Clock, gap: Milli, act: () => void): Cancel {
  const again = () => {
    cancel = clock.after(gap, again);
    act();
  };
  let cancel = clock.after(gap, again);
  return () => cancel();
}
