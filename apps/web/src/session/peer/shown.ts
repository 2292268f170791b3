import type { VideoSource } from "@sealcast/frame";
import { type Cancel, type Clock, milli } from "@sealcast/time";
import * as v from "valibot";
import { parseJson, toJson } from "../json.ts";

/** Bytes of a message. */
const MAX_SHOWN = 256;
/** Sizes change many times a second while someone drags the edge of a window. */
const GAP = milli(300);

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

/** Tells one other end how large its pictures are shown here, so that it sends no larger size than they need. */
export class Showing {
  readonly #say: (body: Uint8Array) => boolean;
  readonly #clock: Clock;
  readonly #latest = new Map<VideoSource, Shown>();
  readonly #told = new Map<VideoSource, Shown>();
  #cancel: Cancel | null = null;

  /** `say` says whether the message could be sent. */
  constructor(say: (body: Uint8Array) => boolean, clock: Clock) {
    this.#say = say;
    this.#clock = clock;
  }

  /** Of each picture, how large it is shown now. */
  get latest(): readonly Shown[] {
    return [...this.#latest.values()];
  }

  show(shown: Shown): void {
    this.#latest.set(shown.source, shown);
    this.#cancel ??= this.#clock.after(GAP, () => this.#tell());
  }

  /** The way is a new one: nothing was said on it. */
  opened(): void {
    this.#told.clear();
    this.#tell();
  }

  close(): void {
    this.#cancel?.();
  }

  #tell(): void {
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
