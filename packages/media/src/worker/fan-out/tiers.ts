import { type Clock, type Milli, milli } from "@sealcast/time";
import { MOST_SIZES } from "../../shared/encoding.ts";
import type { Size } from "../../shared/fan-out.ts";
import { even } from "../composer/layout.ts";

/** One size of a source. Rates are bits per second. */
export interface Tier extends Size {
  /** Less than this does not look good at this size. */
  least: number;
  /** More than this does not look better. */
  most: number;
  /** Bytes that a key frame may have, where that is more than a link saves up otherwise: a page full of text, say. */
  keyBytes: number;
}

/** Of a picture: whether it may stand still, as screens do, and whether it is to be read. */
export interface Content {
  standsStill: boolean;
  isText: boolean;
}

const CAMERA: Content = { standsStill: false, isText: false };

/** A smaller size is not worth an encoder of its own. */
const FEWEST_LINES = 180;
/** For 1280x720, which others follow: a quarter of the pixels get half of the bits, so that a link has room to be found to carry more. */
const FULL = { pixels: 1280 * 720, most: 2_000_000, exponent: 0.5 };
const LEAST = 0.4;
/** Of text, between whose key frames there is hardly anything: a link would rather wait than get what cannot be read. */
const LEAST_TEXT = 0.25;
/** Bytes a pixel in a key frame of dense text, in any codec and at any bitrate: encoders make none smaller. */
const DENSE = 0.25;

/** A link goes up only where there is clearly room. */
const UP = 1.2;
const UP_AFTER = milli(3_000);
/** Below this share of a size's least rate a link goes down at once, above it the upper temporal layers are left out first. */
const DOWN_AT_ONCE = 0.5;
const DOWN_AFTER = milli(2_000);
/** A new link's estimate has yet to find the truth: it follows at once. */
const NEW = milli(5_000);

/** The sizes in which a source is offered, from its own down by halves. At least one. */
export function tiersOf(width: number, height: number, content: Content = CAMERA): Tier[] {
  const scales = [1, 2, 4].filter((scale) => scale === 1 || Math.min(width, height) / scale >= FEWEST_LINES);
  return scales.slice(0, MOST_SIZES).map((scale) => tier(even(width / scale), even(height / scale), content));
}

function tier(width: number, height: number, { standsStill, isText }: Content): Tier {
  const pixels = width * height;
  const most = FULL.most * (pixels / FULL.pixels) ** FULL.exponent;
  const least = (isText ? LEAST_TEXT : LEAST) * most;
  return { width, height, least, most, keyBytes: standsStill ? DENSE * pixels : 0 };
}

/** Which size one link should get, with hysteresis both ways. */
export class TierChoice {
  readonly #clock: Clock;
  readonly #born: Milli;
  #tier: number | null = null;
  /** Since when the link has had room for a larger size, or too little for its own. */
  #since: { way: "up" | "down"; at: Milli } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#born = clock.now();
  }

  /**
   * The index of the size for a link that may carry `rate` bits per second. `keepsRate`: it goes down before any temporal layer
   * has to be left out.
   */
  choose(tiers: readonly Tier[], rate: number, keepsRate = false): number {
    const now = this.#clock.now();
    const fits = (margin: number) => {
      const found = tiers.findIndex(({ least }) => rate >= margin * least);
      return found < 0 ? tiers.length - 1 : found;
    };
    const current = this.#tier === null ? fits(1) : Math.min(this.#tier, tiers.length - 1);
    this.#tier = current;
    const up = fits(UP);
    const down = fits(1);
    const way = up < current ? "up" : down > current ? "down" : null;
    if (way === null) this.#since = null;
    else if (this.#since?.way !== way) this.#since = { way, at: now };
    if (this.#since === null) return current;
    const isNew = now - this.#born < NEW;
    const isFar = keepsRate || rate < DOWN_AT_ONCE * (tiers[current]?.least ?? 0);
    const patience = isNew || (way === "down" && isFar) ? 0 : way === "up" ? UP_AFTER : DOWN_AFTER;
    if (now - this.#since.at < patience) return current;
    this.#since = null;
    this.#tier = way === "up" ? up : down;
    return this.#tier;
  }
}

/** What a size's encoder makes, so that the slowest of its links can follow with some room left; it needs a key frame's worth. */
export function rateOf({ least, most }: Tier, links: readonly number[]): number {
  return Math.min(Math.max(0.9 * Math.min(...links), least), most);
}
