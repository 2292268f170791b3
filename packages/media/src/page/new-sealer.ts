import { packKid, type Source, unpackKid } from "@sealcast/frame";
import type { StreamCounter } from "../shared/messages.ts";
import { draw } from "./draw.ts";

/** First counters are drawn from here to twice as much, and have four bytes (see [Note: Nonces]). */
const LEAST_FIRST = 2 ** 30;

/** A sealer of what several get, as the page knows it. */
export interface NewSealer {
  readonly instance: number;
  /** The first counter. */
  readonly first: number;
  highest: number;
}

/** `instance`: a number that no sealer had before. */
export function newSealer(instance: number): NewSealer {
  const first = LEAST_FIRST + (draw() % LEAST_FIRST);
  return { instance, first, highest: first - 1 };
}

/** Its KID in epoch 0 and the highest counter so far, by what the pool's workers report. */
export function floorOf(sealer: NewSealer, source: Source, sealed: readonly StreamCounter[]) {
  const known = sealed.filter(({ kid }) => unpackKid(kid).instance === sealer.instance);
  // Of an epoch in which it has sealed nothing, the last one counts: it counts on.
  sealer.highest = Math.max(sealer.highest, ...known.map(({ highest }) => highest));
  const kid = packKid({ instance: sealer.instance, source, sealed: true, leaf: 0, epoch: 0 });
  return { kid, highest: sealer.highest };
}
