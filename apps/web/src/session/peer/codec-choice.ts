import { type Cancel, type Clock, type Milli, milli } from "@sealcast/time";
import { common } from "./codecs.ts";

/** Each browser decodes one of them (RFC 7742 section 5), and no others cost as little to encode (docs/decisions/h264-first.md). */
const ORDINARY = ["video/h264", "video/vp8"];
/** Between two changes of everybody's codec: each costs a new encoder, and a key frame for everybody. */
export const CHANGE_GAP = milli(5_000);
/** Who does not decode the shared codec costs an encoder more: this many get one, in the order in which they came. */
export const MOST_OWN_LINKS = 2;

/**
 * In which codec this person's video goes to each of the others. One encoder serves all who decode the shared codec, and
 * nobody moves that away from the ordinary ones. Others get an encoder of their own, as long as these are few.
 */
export class CodecChoice {
  readonly #clock: Clock;
  readonly #due: () => void;
  /** What each said first: it holds as long as they are here. */
  readonly #said = new Map<string, readonly string[]>();
  #shared: string | null = null;
  #changedAt = Number.NEGATIVE_INFINITY;
  #wait: Cancel | null = null;

  /** `due`: `choose` is to be called again, since a change that was put off can be made. */
  constructor(clock: Clock, due: () => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** Of everybody whose `choose` says so. Null as long as there is none. */
  get shared(): string | null {
    return this.#shared;
  }

  /**
   * @param own - What this browser decodes: what it can send.
   * @param others - What the others say that they decode, by whatever names one of them for as long as they are here; null: nothing yet.
   * @returns each one's codec; null where no video goes to them.
   */
  choose(own: readonly string[], others: ReadonlyMap<string, readonly string[] | null>): Map<string, string | null> {
    for (const id of this.#said.keys()) if (!others.has(id)) this.#said.delete(id);
    for (const [id, said] of others) if (said !== null && !this.#said.has(id)) this.#said.set(id, said);
    this.#change(sharedBy(own, [...this.#said.values()]));
    const shared = this.#shared;
    let links = 0;
    const codecOf = (id: string) => {
      const said = this.#said.get(id);
      if (said === undefined || (shared !== null && said.includes(shared))) return shared;
      const codec = common([own, said]);
      return codec !== null && links++ < MOST_OWN_LINKS ? codec : null;
    };
    return new Map([...others.keys()].map((id) => [id, codecOf(id)]));
  }

  /**
   * What would be shared if `id` were among the others and said this, and how long until that can be.
   *
   * @param own - As of `choose`.
   * @param without - One who would not be there any more.
   */
  with(
    own: readonly string[],
    id: string,
    decodes: readonly string[],
    without?: string,
  ): { codec: string | null; wait: Milli } {
    const said = new Map(this.#said).set(id, this.#said.get(id) ?? decodes);
    if (without !== undefined) said.delete(without);
    const codec = sharedBy(own, [...said.values()]);
    return { codec, wait: milli(Math.max(0, this.#untilChange(codec))) };
  }

  close(): void {
    this.#wait?.();
  }

  #change(codec: string | null): void {
    this.#wait?.();
    this.#wait = null;
    if (codec === this.#shared) return;
    const left = this.#untilChange(codec);
    if (left > 0) {
      this.#wait = this.#clock.after(milli(left), this.#due);
      return;
    }
    this.#shared = codec;
    this.#changedAt = this.#clock.now();
  }

  #untilChange(codec: string | null): number {
    const isFree = this.#shared === null || codec === this.#shared;
    return isFree ? 0 : this.#changedAt + CHANGE_GAP - this.#clock.now();
  }
}

/** The first ordinary codec that all with an ordinary one decode, or else most of them; without an ordinary one here, any that all decode. */
function sharedBy(own: readonly string[], others: (readonly string[])[]): string | null {
  const here = ORDINARY.filter((codec) => own.includes(codec));
  if (here.length === 0) return common([own, ...others]);
  const count = (codec: string) => others.filter((said) => said.includes(codec)).length;
  return here.reduce((best, codec) => (count(codec) > count(best) ? codec : best));
}
