import {
  compareScanned,
  type Pin,
  type PinStore,
  type SafetyCode,
  type Scanned,
  type Standing,
  standing,
} from "@sealcast/keys";

/** Somebody who is here now. */
interface Present {
  identity: string;
  name: string;
}

/**
 * Who is known from before, by key. Whoever comes for the first time is remembered. Whoever bears a known name with
 * another key is not, until this person has compared codes: nobody slips into another's place.
 */
export class Acquaintances {
  readonly #store: Pick<PinStore, "all" | "keep">;
  readonly #changed: () => void;
  readonly #codes = new Map<string, SafetyCode>();
  /** Identities whose code is computed, or on its way: each takes a good part of a second. */
  readonly #asked = new Set<string>();
  #pins: Pin[] = [];

  /** `changed` is called after every change of what is known. */
  constructor(store: Pick<PinStore, "all" | "keep">, changed: () => void) {
    this.#store = store;
    this.#changed = changed;
  }

  /** To be awaited before anybody is met. */
  async load(): Promise<void> {
    this.#pins = await this.#store.all();
  }

  standing(present: Present): Standing {
    return standing(this.#pins, present);
  }

  code(identity: string): SafetyCode | null {
    return this.#codes.get(identity) ?? null;
  }

  /** The identities among these whose code has yet to be asked for. They count as asked for from now on. */
  unasked(identities: readonly string[]): string[] {
    const fresh = [...new Set(identities)].filter((identity) => !this.#asked.has(identity));
    for (const identity of fresh) this.#asked.add(identity);
    return fresh;
  }

  computed(identity: string, code: SafetyCode): void {
    this.#codes.set(identity, code);
    this.#changed();
  }

  /** Somebody has said who they are. */
  met({ identity, name }: Present): void {
    const now = this.standing({ identity, name });
    const known = this.#pins.find((pin) => pin.identity === identity);
    if (now === "changed" || now === "other" || known?.name === name) return;
    this.#keep({ identity, name, verified: known?.verified ?? false });
  }

  verify({ identity, name }: Present, verified: boolean): void {
    this.#keep({ identity, name, verified });
  }

  /** A QR code was read from their screen. Only the same code verifies them. Nothing can be compared before `computed`. */
  scanned(present: Present, text: string): Scanned {
    const code = this.code(present.identity);
    const scanned = code === null ? "foreign" : compareScanned(text, code.digits);
    if (scanned === "same") this.verify(present, true);
    return scanned;
  }

  #keep(pin: Pin): void {
    this.#pins = [pin, ...this.#pins.filter(({ identity }) => identity !== pin.identity)];
    void this.#store.keep(pin);
    this.#changed();
  }
}
