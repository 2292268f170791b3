import type { EffectCost } from "../shared/messages.ts";

/** How high treated frames are at most, one step after the other: each takes less than half of the one before. */
const HEIGHTS = [720, 360, 180] as const;

/** Costs, half a second apart, that are looked at, and how many of them have to say the same. */
const WINDOW = 8;
const MOST = 6;

/** Of a core: a worker that is this busy has no time left. */
const BUSY = 0.85;
/** Frames a second: fewer look like stills one after another. What a camera gives in the dark is about ten. */
const FLUENT = 20;
const BEARABLE = 4;

/** Whether an effect keeps up with the camera on this computer, and how high its frames may be so that it does. */
export class FramePace {
  readonly #recent: EffectCost[] = [];
  #step = 0;

  get mostHeight(): number {
    return HEIGHTS[this.#step] ?? HEIGHTS[0];
  }

  /** `lower`: frames are to be no higher than `mostHeight` says from now on. `give-up`: it is too much at any height. */
  examine(cost: EffectCost): "keep" | "lower" | "give-up" {
    this.#recent.push(cost);
    if (this.#recent.length > WINDOW) this.#recent.shift();
    if (this.#isSlowerThan(FLUENT) && this.lower()) return "lower";
    return this.#isSlowerThan(BEARABLE) ? "give-up" : "keep";
  }

  /** Whether there was a lower height to go to. */
  lower(): boolean {
    if (this.#step === HEIGHTS.length - 1) return false;
    this.#step++;
    // What went before says nothing of frames of this height.
    this.#recent.length = 0;
    return true;
  }

  #isSlowerThan(framesPerSecond: number): boolean {
    const slow = this.#recent.filter((cost) => cost.share > BUSY && cost.framesPerSecond < framesPerSecond);
    return slow.length >= MOST;
  }
}
