import { type Clock, type Milli, milli } from "@sealcast/time";
import type { Stats } from "./link-stats.ts";

/** Bits per second that video needs to show anything; sound has its own beside these. */
const LEAST = 80_000;
/** Of sound, where the browser estimates nothing: with more lost, not every word is understood. */
const MOST_LOST = 0.2;
/** It has to be too slow for so long. A new link's estimate begins low. */
const PATIENCE = milli(3_000);
/** A link without video tells nothing of what it carries: video is tried again after this, and each time after twice as long. */
const RETRY = milli(8_000);
const LONGEST_RETRY = milli(60_000);
/** Estimates begin low after a pause, too: they have this long before they count. */
const RISING = milli(3_000);
/** Back-off resets after video went well for so long. */
const FORGIVEN = milli(20_000);

/** What the browser says of a link. */
interface Reading {
  /** What it carries beside sound, bits per second; null where the browser estimates nothing. */
  readonly estimate: number | null;
  /** Share of sound that the other end lost, from 0 to 1. */
  readonly lost: number;
}

/** Finds a link, on which video is encoded for it alone, that is too slow for any: sound is to have all of it. */
export class LinkShortage {
  readonly #clock: Clock;
  /** Since when it has been too slow. */
  #slowSince: Milli | null = null;
  #pausedUntil: Milli | null = null;
  #resumed = milli(Number.NEGATIVE_INFINITY);
  #retry = RETRY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether video pauses. To be called some times a second; null while no video is to go there. */
  examine(reading: Reading | null): boolean {
    const now = this.#clock.now();
    if (this.#pausedUntil !== null) {
      if (now < this.#pausedUntil) return true;
      this.#pausedUntil = null;
      this.#resumed = now;
    }
    const isSlow =
      reading !== null && (reading.estimate === null ? reading.lost > MOST_LOST : reading.estimate < LEAST);
    if (!isSlow || now - this.#resumed < RISING) this.#slowSince = null;
    else this.#slowSince ??= now;
    if (this.#slowSince === null || now - this.#slowSince < PATIENCE) return false;
    if (now - this.#resumed > FORGIVEN) this.#retry = RETRY;
    this.#pausedUntil = milli(now + this.#retry);
    this.#retry = milli(Math.min(2 * this.#retry, LONGEST_RETRY));
    this.#slowSince = null;
    return true;
  }
}

/** What the browser says of a link now, by its own counters. */
export function readingOf(entries: readonly Stats[]): Reading {
  const pair = entries.find(({ type, nominated }) => type === "candidate-pair" && nominated);
  const sound = entries.find(({ type, kind }) => type === "remote-inbound-rtp" && kind === "audio");
  return { estimate: pair?.availableOutgoingBitrate ?? null, lost: sound?.fractionLost ?? 0 };
}
