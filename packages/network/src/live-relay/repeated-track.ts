import { type Clock, type Milli, milli, systemClock } from "@sealcast/time";

/** A group is followed by the next one after so long. */
const GROUP = milli(2_000);
/** What each begins with: all of so long before. A group of pictures takes as long as one of these at most, and its way besides. */
const REPEATED = milli(6_000);
/** More than comes in that time. */
const MOST_REPEATED = 256;

/** Writes to a track; false: there is no session. */
type Write = (data: Uint8Array, startsGroup: boolean) => boolean;

/** A track of messages of which each is of use for some seconds: who comes later gets all of these with the newest group. */
export class RepeatedTrack {
  readonly #write: Write;
  readonly #clock: Clock;
  #latest: { readonly data: Uint8Array; readonly at: Milli }[] = [];
  /** Null: the next message starts a group. */
  #began: Milli | null = null;

  constructor(write: Write, clock: Clock = systemClock) {
    this.#write = write;
    this.#clock = clock;
  }

  /** A session began: it has nothing yet. */
  starts(): void {
    this.#began = null;
  }

  write(data: Uint8Array): void {
    const now = this.#clock.now();
    this.#latest = this.#latest.filter(({ at }) => now - at < REPEATED).slice(1 - MOST_REPEATED);
    this.#latest.push({ data, at: now });
    if (this.#began !== null && now - this.#began < GROUP) return void this.#write(data, false);
    let hasBegun = false;
    for (const { data } of this.#latest) hasBegun = this.#write(data, !hasBegun) || hasBegun;
    this.#began = hasBegun ? now : null;
  }
}
