import type { PlayerDrop } from "../shared/messages.ts";

/** Counts what was not played. */
export class Drops {
  readonly counts: Partial<Record<PlayerDrop, number>> = {};

  count(drop: PlayerDrop, times = 1): void {
    if (times > 0) this.counts[drop] = (this.counts[drop] ?? 0) + times;
  }
}
