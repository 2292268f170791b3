import { canEncodeOnce } from "@sealcast/media";
import { milli } from "@sealcast/time";

/** With a single receiver nothing is gained, and the browser's own sender follows its network better. */
const FEWEST = 2;

/** Milliseconds of sound in a packet, by the number of receivers from which on it applies. */
const PACKETS = [
  { receivers: 4, ms: 60 },
  { receivers: 2, ms: 40 },
];
/** What browsers do by themselves. */
const SHORT_PACKET = milli(20);

/**
 * How many milliseconds of sound go into a packet where it is sent to this many receivers. Each packet is sealed, sent, opened and
 * played once for every receiver, and with several that costs more than all pictures do. Longer ones come a little later.
 */
export function packetMs(receivers: number): number {
  return PACKETS.find((from) => receivers >= from.receivers)?.ms ?? SHORT_PACKET;
}

/** Decides whether this person's picture is encoded once for everybody, or for each. */
export class EncodeOnce {
  readonly #try: typeof canEncodeOnce;
  readonly #changed: () => void;
  /** By codec; false until it was tried. */
  readonly #can = new Map<string, boolean>();
  #failed = false;

  /** `changed` is called when the answer may be another one than before. */
  constructor(changed: () => void, attempt: typeof canEncodeOnce = canEncodeOnce) {
    this.#changed = changed;
    this.#try = attempt;
  }

  /** For this many receivers and this codec, in lower case. */
  isOnce(receivers: number, codec: string): boolean {
    if (!this.#can.has(codec)) void this.#find(codec);
    return receivers >= FEWEST && !this.#failed && this.#can.get(codec) === true;
  }

  /** It does not work here after all. */
  fail(): void {
    this.#failed = true;
    this.#changed();
  }

  async #find(codec: string): Promise<void> {
    this.#can.set(codec, false);
    this.#can.set(codec, await this.#try(codec));
    this.#changed();
  }
}
