import {
  compareScanned,
  type GroupMember,
  type Knocker,
  type Label,
  type Pin,
  type PinStore,
  type Present,
  type SafetyCode,
  type Scanned,
  shownName,
  type Trust,
} from "@sealcast/keys";

export type { SafetyCode, Scanned, Trust };

/** A person who waits to be let in. */
export interface ShownKnocker extends Pick<Knocker, "seat" | "oldLink" | "removed"> {
  name: string;
  trust: Trust;
}

/** A member as this page shows them. There is a connection to a member only as one of these. */
export interface ShownMember {
  member: GroupMember;
  /** Their name, with a number where another person here has the plain name. */
  label: Label;
  /** The label as it is read: the whole page calls them so, and nobody else here. */
  name: string;
  /** What this browser knows of their key and name. */
  trust: Trust;
  /** This person verified their key under the name that they have now. */
  isVerified: boolean;
}

/** The comparison of names brings a table of characters along: it is loaded while the lobby shows. */
type Comparison = typeof import("@sealcast/keys/people");
type Store = Pick<PinStore, "all" | "keep">;

/**
 * How members show: their labels, and what this browser knows of their keys. A person who comes for the first time is
 * remembered by key. A key under another's name is not, until this person says so.
 */
export class KnownPeers {
  readonly #comparison: Comparison;
  readonly #store: Store;
  /** Shown in a name's place where there is none. */
  readonly #nameless: string;
  readonly #changed: () => void;
  readonly #codes = new Map<string, SafetyCode>();
  /** Identities whose code is computed, or on its way: each takes a good part of a second. */
  readonly #asked = new Set<string>();
  #pins: Pin[];
  #labels: ReadonlyMap<string, Label> = new Map();

  private constructor(comparison: Comparison, pins: Pin[], options: KnownPeersOptions) {
    this.#comparison = comparison;
    this.#pins = pins;
    this.#store = options.store;
    this.#nameless = options.nameless;
    this.#changed = options.changed;
  }

  static async open(options: KnownPeersOptions): Promise<KnownPeers> {
    const pins = options.store.all();
    const { areNamesakes, isVerified, labelled, labelText, trustOf } = await import("@sealcast/keys/people");
    return new KnownPeers({ areNamesakes, isVerified, labelled, labelText, trustOf }, await pins, options);
  }

  /** Whether two names could be taken for one. */
  areNamesakes(one: string, other: string): boolean {
    return this.#comparison.areNamesakes(one, other);
  }

  /** The others of a roster as they show now. Who is new here is remembered. */
  show(roster: readonly GroupMember[]): ShownMember[] {
    const others = roster.filter(({ me }) => !me);
    for (const member of others) this.#meet(member, roster);
    const trusts = new Map(others.map((member) => [member.leafKeyId, this.#trustOf(presentOf(member), roster)]));
    this.#label(roster, trusts);
    return others.flatMap((member) => {
      const [label, trust] = [this.#labels.get(member.leafKeyId), trusts.get(member.leafKeyId)];
      if (label === undefined || trust === undefined) return [];
      const { labelText, isVerified } = this.#comparison;
      return { member, label, name: labelText(label), trust, isVerified: isVerified(trust) };
    });
  }

  /** A person who asks to come in, held against the pins and those who are in. */
  knocking(knocker: Knocker, roster: readonly GroupMember[]): ShownKnocker {
    const { seat, oldLink, removed } = knocker;
    const present = presentOf(knocker);
    return { seat, oldLink, removed, name: present.name || this.#nameless, trust: this.#trustOf(present, roster) };
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

  /** The key belongs to a person of the name that the member has now: verified, or not any more. */
  verify(member: GroupMember, verified: boolean): void {
    this.#keep({ ...presentOf(member), verified });
    this.#changed();
  }

  /** From now on the key is remembered under the name that the member has now. */
  remember(member: GroupMember): void {
    this.verify(member, this.#pinOf(member)?.verified ?? false);
  }

  /** A QR code was read from their screen. Only the same code verifies them. Nothing can be compared before `computed`. */
  scanned(member: GroupMember, text: string): Scanned {
    const code = this.code(member.identity);
    const scanned = code === null ? "foreign" : compareScanned(text, code.digits);
    if (scanned === "same") this.verify(member, true);
    return scanned;
  }

  #meet(member: GroupMember, roster: readonly GroupMember[]): void {
    const present = presentOf(member);
    const { level, namesake } = this.#trustOf(present, roster);
    if (level === "stranger" && namesake === null && present.name !== "") this.#keep({ ...present, verified: false });
  }

  #trustOf(person: Present, roster: readonly GroupMember[]): Trust {
    const me = roster.find(({ me }) => me);
    const others = roster.filter(({ me }) => !me).map(presentOf);
    const company = { me: me === undefined ? { identity: "", name: "" } : presentOf(me), others };
    return this.#comparison.trustOf(person, this.#pins, company);
  }

  /** This person's own label is the plain one; of others who are new, the better known come first. */
  #label(roster: readonly GroupMember[], trusts: ReadonlyMap<string, Trust>): void {
    const rankOf = ({ me, leafKeyId }: GroupMember) => (me ? 0 : RANKS[trusts.get(leafKeyId)?.level ?? "stranger"]);
    const ranked = [...roster].sort((one, other) => rankOf(one) - rankOf(other) || one.leaf - other.leaf);
    const people = ranked.map((member) => ({ id: member.leafKeyId, name: presentOf(member).name || this.#nameless }));
    this.#labels = this.#comparison.labelled(people, this.#labels);
  }

  #pinOf({ identity }: GroupMember): Pin | undefined {
    return this.#pins.find((pin) => pin.identity === identity);
  }

  #keep(pin: Pin): void {
    this.#pins = [pin, ...this.#pins.filter(({ identity }) => identity !== pin.identity)];
    void this.#store.keep(pin);
  }
}

export interface KnownPeersOptions {
  store: Store;
  nameless: string;
  /** Called after every change that is not the roster's. */
  changed(): void;
}

const RANKS = { own: 1, verified: 2, known: 3, stranger: 4 };

function presentOf({ identity, name }: Pick<GroupMember, "identity" | "name">): Present {
  return { identity, name: shownName(name) };
}
