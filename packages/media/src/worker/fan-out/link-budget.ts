import type { Clock, Milli } from "@sealcast/time";
import type { SealedFrame } from "./sealed-frame.ts";

/** What WebRTC itself begins with, bits per second, before it has measured anything. */
export const FIRST_ESTIMATE = 300_000;
/** Of an estimate: packets have headers, and lost ones are sent again. */
const SHARE = 0.85;
/** Sound goes first: Opus, with every frame sent twice. Bits per second. */
const SOUND = 80_000;
/**
 * However low the estimate, bits per second. An estimate rises to one and a half times of what is sent and no further: with
 * less than this beside the sound, a link that was slow for a moment would never be found to have recovered.
 */
const LEAST_RATE = 100_000;
/** A link may save up what it does not use for this long: a key frame is many times larger than the frames after it. */
const SAVED_SECONDS = 1;
/** Or up to this many bytes, however slow it is: a key frame of the smallest size. */
const LEAST_SAVED = 16_000;
/** How full a link's savings must stay after a frame of each temporal layer. */
const RESERVE = [0, 0.15, 0.3];
/** Savings from which a link that had run out starts again. */
const RECOVERED = 0.5;

/**
 * How much video one link may carry: its estimate's share. Over any time t it lets through at most `rate * t` and
 * the savings of one second, or what a key frame takes (`makeRoom`). Upper temporal layers are left out first.
 */
export class LinkBudget {
  readonly #clock: Clock;
  #rate: number;
  #saved = 0;
  #room = 0;
  #isNew = true;
  #at: Milli;
  /** The lowest layer of which a frame was left out since the last of layer 0: the ones above build on it. */
  #lacking = Number.POSITIVE_INFINITY;

  /** `estimate`: what the link carries, bits per second. It has saved up all that it may. */
  constructor(clock: Clock, estimate: number) {
    this.#clock = clock;
    this.#rate = videoShare(estimate);
    this.#at = clock.now();
    this.#saved = this.#most;
  }

  /** Bits per second that the video may take. */
  get rate(): number {
    return this.#rate;
  }

  /** It may save up that many bytes at least: a key frame that is larger than its savings would never go. */
  makeRoom(bytes: number): void {
    this.#save();
    this.#room = bytes;
    this.#saved = this.#isNew ? this.#most : Math.min(this.#saved, this.#most);
  }

  /** There is enough for the next key frame. */
  get isRecovered(): boolean {
    this.#save();
    return this.#saved >= RECOVERED * this.#most;
  }

  /** What the whole link carries, by the browser's own estimate, bits per second. */
  estimate(bitsPerSecond: number): void {
    this.#save();
    this.#rate = videoShare(bitsPerSecond);
  }

  /**
   * Whether a frame may go; takes its bytes if so. Where `highest` is given, none of a layer above it may. A frame of
   * layer 0 that may not leaves the rest undecodable.
   */
  take({ layer, data }: Pick<SealedFrame, "layer" | "data">, highest = Number.POSITIVE_INFINITY): boolean {
    this.#save();
    if (layer === 0) this.#lacking = Number.POSITIVE_INFINITY;
    const left = this.#saved - data.byteLength;
    if (layer <= highest && layer < this.#lacking && left >= (RESERVE[layer] ?? 1) * this.#most) {
      this.#saved = left;
      this.#isNew = false;
      return true;
    }
    // Nothing builds on a frame of the highest layer, and nothing beyond the next frame of layer 0 on one between.
    if (layer < RESERVE.length - 1) this.#lacking = Math.min(this.#lacking, layer);
    return false;
  }

  get #most(): number {
    return Math.max((this.#rate / 8) * SAVED_SECONDS, LEAST_SAVED, this.#room);
  }

  #save(): void {
    const now = this.#clock.now();
    this.#saved = Math.min(this.#saved + (this.#rate / 8) * ((now - this.#at) / 1_000), this.#most);
    this.#at = now;
  }
}

function videoShare(estimate: number): number {
  return Math.max(LEAST_RATE, SHARE * estimate - SOUND);
}
