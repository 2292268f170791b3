import { type Clock, milli } from "@sealcast/time";
import type { Samples } from "../audit/encryption-audit.ts";

/** For so long after nothing came, signatures may be missing because they were lost on the way, or come late. */
const EXPLAINS = milli(5_000);

/** Whether what the host sends over one connection plays here. */
export class Playing {
  readonly #clock: Clock;
  #hasPlayed = false;
  #opens = false;
  #isSilent = false;
  /** When that last was so. */
  #silentAt = milli(Number.NEGATIVE_INFINITY);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Frames of this connection were decoded. */
  get hasPlayed(): boolean {
    return this.#hasPlayed;
  }

  /** Something was opened in the last second. */
  get opens(): boolean {
    return this.#opens;
  }

  /** Nothing comes now, after something did. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Nothing came a while ago. */
  get wasSilent(): boolean {
    return this.#clock.now() - this.#silentAt < EXPLAINS;
  }

  /** A picture can be drawn. */
  played(): void {
    this.#hasPlayed = true;
  }

  /** `isSent`: the host sends something to this page now. */
  examine({ samples }: Samples, isSent: boolean): void {
    this.#hasPlayed ||= hasPlayed(samples);
    this.#opens = samples.some(([now, before]) => now.passed > (before?.passed ?? 0));
    this.#isSilent = this.#hasPlayed && isSent && isSilent(samples);
    if (this.#isSilent) this.#silentAt = this.#clock.now();
  }
}

/** Frames of these were decoded. */
export function hasPlayed(samples: Samples["samples"]): boolean {
  return samples.some(
    ([{ line, passed, counted }]) => passed > 0 && (line.kind === "audio" || (counted.after ?? 0) > 0),
  );
}

/** In the last second nothing came to any transform. */
function isSilent(samples: Samples["samples"]): boolean {
  return samples.every(([now, before]) => before !== null && now.report?.came === before.report?.came);
}
