import type { Verdict } from "@sealcast/media";

const FROM_WORST: readonly Verdict[] = ["forged", "unsigned"];

/** How the tracks of one connection, or of a stream over relays, stand whose frames have to be signed. */
export class Verdicts {
  readonly #of = new Map<object, Verdict>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** All of it stands as its worst track. */
  get worst(): Verdict {
    const verdicts = new Set(this.#of.values());
    return FROM_WORST.find((verdict) => verdicts.has(verdict)) ?? "signed";
  }

  /** What one more track's `judged` is to be. */
  ofTrack(): (verdict: Verdict) => void {
    const track = {};
    return (verdict) => {
      this.#of.set(track, verdict);
      this.#changed();
    };
  }
}
