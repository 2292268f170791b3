import { type Milli, milli } from "./units.ts";

/** Stops a timer. Harmless after it has run, and when called twice. */
export type Cancel = () => void;

export interface Clock {
  /** Rises steadily from an arbitrary start: for differences, never for dates. */
  now(): Milli;
  /** Runs `fn` once, `delay` from now. */
  after(delay: Milli, fn: () => void): Cancel;
}

export const systemClock: Clock = {
  now: () => milli(performance.now()),
  after(delay, fn) {
    const timer = setTimeout(fn, delay);
    return () => clearTimeout(timer);
  },
};
