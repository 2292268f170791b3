/** What people compare to know that they see the same people. */
export interface MeetingCodeView {
  /** 30; null while they are computed, or nobody looks. */
  digits: string | null;
  /** How many different people are in the group, this one included. */
  people: number;
  /** The others among them, as far as they have a name. */
  names: string[];
}

/** Fewer have nothing to compare. */
const FEWEST = 2;

/**
 * The code of all who are in the group, kept current while someone looks. Each takes a good part of a second: one is computed at
 * a time, and of those who came and went meanwhile only the latest set is.
 */
export class MeetingCode {
  readonly #compute: (identities: readonly string[]) => void;
  #isShown = false;
  #isComputing = false;
  #identities: readonly string[] = [];
  #computed: { of: string; digits: string } | null = null;

  /** `compute` is answered by `computed`. */
  constructor(compute: (identities: readonly string[]) => void) {
    this.#compute = compute;
  }

  show(on: boolean): void {
    this.#isShown = on;
    this.#next();
  }

  /** These are in the group now, this person included; someone who is there twice counts once. */
  enter(identities: readonly string[]): void {
    this.#identities = [...new Set(identities)].toSorted();
    this.#next();
  }

  computed(identities: readonly string[], digits: string): void {
    this.#isComputing = false;
    this.#computed = { of: identities.join(), digits };
    this.#next();
  }

  /** `names` of the others, by identity. */
  view(names: ReadonlyMap<string, string>): MeetingCodeView {
    const here = this.#identities.flatMap((identity) => names.get(identity) ?? []);
    return { digits: this.#digits, people: this.#identities.length, names: here };
  }

  get #digits(): string | null {
    return this.#computed?.of === this.#identities.join() ? this.#computed.digits : null;
  }

  #next(): void {
    if (!this.#isShown || this.#isComputing || this.#identities.length < FEWEST || this.#digits !== null) return;
    this.#isComputing = true;
    this.#compute(this.#identities);
  }
}
