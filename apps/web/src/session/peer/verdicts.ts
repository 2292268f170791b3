import type { Attachment, Verdict } from "@sealcast/media";
import { type Clock, milli } from "@sealcast/time";

const FROM_WORST: readonly Verdict[] = ["forged", "unsigned"];
/** For so long is looked whether what came last of a track that has ended is signed. */
const JUDGED_FOR = milli(17_000);
const JUDGED_LONGER = milli(1_000);

/** How the tracks of one connection, or of someone over relays, stand whose frames have to be signed. */
export class Verdicts {
  readonly #clock: Clock;
  readonly #changed: () => void;
  /** Of tracks that do not stand as signed. */
  #bad = new Map<object, Verdict>();
  /** Nothing more comes to these, and what came last is still held against its signatures. */
  readonly #ended = new Set<Attachment>();

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** All of it stands as its worst track, also one that has ended. */
  get worst(): Verdict {
    const verdicts = new Set(this.#bad.values());
    return FROM_WORST.find((verdict) => verdicts.has(verdict)) ?? "signed";
  }

  /** What one more track's `judged` is to be. */
  ofTrack(): (verdict: Verdict) => void {
    const track = {};
    const bad = this.#bad;
    return (verdict) => {
      if (bad !== this.#bad) return;
      if (verdict === "signed") bad.delete(track);
      else bad.set(track, verdict);
      this.#changed();
    };
  }

  /** Releases it once it is judged: who ends a track in time would have nothing found out. */
  end(attachment: Attachment): void {
    this.#ended.add(attachment);
    this.#clock.after(JUDGED_FOR, () => this.#release(attachment));
  }

  hasEnded(attachment: Attachment): boolean {
    return this.#ended.has(attachment);
  }

  /** None of the tracks so far is judged any more; those that have ended are released. */
  clear(): void {
    this.#bad = new Map();
    for (const attachment of this.#ended) attachment.release();
    this.#ended.clear();
  }

  /** Not before it is known how it stands: that may take longer on a machine that is busy or slept. */
  #release(attachment: Attachment): void {
    if (!this.#ended.has(attachment)) return;
    if (this.worst === "unsigned") return void this.#clock.after(JUDGED_LONGER, () => this.#release(attachment));
    this.#ended.delete(attachment);
    attachment.release();
  }
}
