import type { VideoSource } from "@sealcast/frame";
import { UNSEEN_FOR } from "@sealcast/media";
import { atMostEvery, type Cancel, type Clock, type Milli, milli } from "@sealcast/time";
import * as v from "valibot";
import { parseJson, toJson } from "../json.ts";

/** Bytes of a message. */
const MAX_SHOWN = 256;
/** Sizes change many times a second while someone drags the edge of a window. */
const GAP = milli(300);
/** A picture that nobody wanted is paused by its sender: once it is wanted again it has this long to come back, on the slowest ways. */
const BACK_WITHIN = milli(2_000);

const Pixels = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(16_384));
const Shown = v.strictObject({
  source: v.picklist(["camera", "screen-picture"]),
  width: Pixels,
  height: Pixels,
  keepsRate: v.boolean(),
});
/**
 * How large a picture is shown, in the screen's pixels; 0 by 0 where nobody sees it. `keepsRate`: a smaller picture is better
 * than fewer frames. See PROTOCOL.md section 5.3.
 */
export type Shown = v.InferOutput<typeof Shown>;

/** Pixels each way at least: a picture that is recorded is wanted, though nobody sees it. */
export const RECORDED = 1;

/** Nobody sees a picture of that size, and nothing records it. */
export const isUnseen = ({ width, height }: Pick<Shown, "width" | "height">): boolean => width === 0 && height === 0;

/** Tells one other end how large its pictures are shown here, so that it sends no larger size than they need. */
export class Showing {
  readonly #say: (body: Uint8Array) => boolean;
  readonly #clock: Clock;
  readonly #latest = new Map<VideoSource, Shown>();
  readonly #told = new Map<VideoSource, Shown>();
  /** Since when a picture has been wanted that nobody had wanted before, or the other way about. */
  readonly #since = new Map<VideoSource, Milli>();
  /** What is seen again is to come at once. */
  readonly #hurry: () => void;
  #cancel: Cancel | null = null;

  /** `say` says whether the message could be sent. */
  constructor(say: (body: Uint8Array) => boolean, clock: Clock) {
    this.#say = say;
    this.#clock = clock;
    this.#hurry = atMostEvery(clock, GAP, () => this.#tell());
  }

  /** Of each picture, how large it is shown now. */
  get latest(): readonly Shown[] {
    return [...this.#latest.values()];
  }

  show(shown: Shown): void {
    const wasUnseen = this.#isUnseen(shown.source);
    this.#latest.set(shown.source, shown);
    if (wasUnseen !== isUnseen(shown)) this.#since.set(shown.source, this.#clock.now());
    if (wasUnseen && !isUnseen(shown)) this.#hurry();
    else this.#cancel ??= this.#clock.after(GAP, () => this.#tell());
  }

  /** That picture has to come: someone has wanted it here for a while, as far as is known. */
  isDue(source: VideoSource): boolean {
    return !this.#isUnseen(source) && this.#sinceFor(source) >= BACK_WITHIN;
  }

  /** Nobody has wanted that picture for so long that it is to pause. */
  rests(source: VideoSource): boolean {
    return this.#isUnseen(source) && this.#sinceFor(source) >= UNSEEN_FOR;
  }

  /** The way is a new one: nothing was said on it. */
  opened(): void {
    this.#told.clear();
    this.#tell();
  }

  close(): void {
    this.#cancel?.();
  }

  #isUnseen(source: VideoSource): boolean {
    const shown = this.#latest.get(source);
    return shown !== undefined && isUnseen(shown);
  }

  #sinceFor(source: VideoSource): number {
    return this.#clock.now() - (this.#since.get(source) ?? Number.NEGATIVE_INFINITY);
  }

  #tell(): void {
    this.#cancel?.();
    this.#cancel = null;
    for (const [source, shown] of this.#latest) {
      const told = this.#told.get(source);
      if (told !== undefined && isSame(told, shown)) continue;
      if (this.#say(toJson(shown))) this.#told.set(source, shown);
    }
  }
}

function isSame(one: Shown, other: Shown): boolean {
  return one.width === other.width && one.height === other.height && one.keepsRate === other.keepsRate;
}

/** Null: not a message of this version. The other end may send anything. */
export const parseShown = (body: Uint8Array): Shown | null => parseJson(Shown, body, MAX_SHOWN);
