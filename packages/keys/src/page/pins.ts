import { utf8 } from "@sealcast/bytes";
import * as v from "valibot";
import { SealedStore } from "./sealed-store.ts";

const NAME = "people";
const LOCK = "sealcast-people";
/** The oldest that were never verified go first. */
const MAX_PINS = 1_000;

const Pin = v.strictObject({
  /** Long-term Ed25519 public key, hex. */
  identity: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** The name that this person met or verified them under. */
  name: v.string(),
  /** This person compared the safety code and found it equal. */
  verified: v.boolean(),
});
export type Pin = v.InferOutput<typeof Pin>;

/** The people this browser has met: their keys, the names they gave, whether they were verified. Sealed on the disk. */
export class PinStore {
  readonly #store = new SealedStore("sealcast-people");

  /** Latest first. */
  async all(): Promise<Pin[]> {
    const bytes = await this.#store.recall(NAME);
    if (bytes === null) return [];
    const parsed = v.safeParse(v.array(Pin), JSON.parse(new TextDecoder().decode(bytes)));
    return parsed.success ? parsed.output : [];
  }

  /** Keeps what is known now of that key in place of what was. Tabs take turns. */
  keep(pin: Pin): Promise<void> {
    return navigator.locks.request(LOCK, async () => {
      const others = (await this.all()).filter(({ identity }) => identity !== pin.identity);
      const kept = [pin, ...others];
      const pins = kept.length > MAX_PINS ? withoutOldest(kept) : kept;
      await this.#store.keep(NAME, utf8(JSON.stringify(pins)), Number.POSITIVE_INFINITY);
    });
  }
}

function withoutOldest(pins: readonly Pin[]): Pin[] {
  const oldest = pins.findLastIndex(({ verified }) => !verified);
  return pins.filter((_, at) => at !== (oldest < 0 ? pins.length - 1 : oldest));
}
