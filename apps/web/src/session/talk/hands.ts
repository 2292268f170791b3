import { atMostEvery, type Clock, type Milli, milli } from "@sealcast/time";
import * as v from "valibot";
import { HAND_GAP, PAGE_BUDGETS } from "../budgets.ts";
import { MemberBudgets, type MessageSender } from "../member-budgets.ts";
import { Count, LeafKey } from "./said.ts";

/** Who raises a hand has seen all that were raised so long before. */
const SETTLED_AFTER = milli(5_000);
/** After so long the budget of a member who waved too much allows another change. */
const AGAIN_AFTER = milli(1_000 / PAGE_BUDGETS.hands.perSecond);
/** Hands that may be up at the same time: a room holds no more people. */
const MOST_AT_ONCE = 50;

/**
 * How a member's hand is: `place` is one more than the highest place of those that the member saw raised, null where it is
 * down. The highest `version` counts: direct messages and those to all may cross.
 */
export const Hand = v.strictObject({ type: v.literal("hand"), version: Count, place: v.nullable(Count) });
export type Hand = v.InferOutput<typeof Hand>;

/** A host's: that leaf's hand, as of that version, is down. */
export const HandLowered = v.strictObject({ type: v.literal("hand-lowered"), leaf: LeafKey, version: Count });
export type HandLowered = v.InferOutput<typeof HandLowered>;

export interface HandsView {
  hands: {
    /** Ids of those whose hand is up, in the order in which they are to speak; null for this person. */
    order: readonly (string | null)[];
    /** A host lowered this person's hand, and they have not raised it since. */
    isLowered: boolean;
  };
}

export const NO_HANDS: HandsView = { hands: { order: [], isLowered: false } };

export interface HandsActions {
  raiseHand(up: boolean): void;
  /** A host's: the hand of this person (by id) is down, for everybody. */
  lowerHand(id: string): void;
}

interface HandsOptions {
  clock: Clock;
  /** This page's own leaf key id; null before it has one. */
  me(): string | null;
  isHost(identity: string): boolean;
  tell(to: string, message: Hand | HandLowered): void;
  show(change: HandsView): void;
}

interface RaisedHand {
  readonly version: number;
  readonly place: number | null;
  /** When it was heard here. */
  readonly at: Milli;
}

/**
 * Raised hands, in one order for all: by place, and of equal places by leaf key. A place below those of hands that have
 * been up for a while is not believed: it counts as the next one.
 */
export class Hands {
  readonly actions: HandsActions = {
    raiseHand: (up) => this.#raise(up),
    lowerHand: (id) => this.#lower(id),
  };
  readonly #options: HandsOptions;
  readonly #speak: () => void;
  readonly #budgets: MemberBudgets;
  /** The last word of those who are beyond their budget, by id: it counts as soon as the budget allows it. */
  readonly #waiting = new Map<string, Hand>();
  /** Of the others, by id, as each last said. */
  readonly #others = new Map<string, RaisedHand>();
  #own: RaisedHand;
  /** What the others were told last. */
  #told = 0;
  #isLowered = false;

  constructor(options: HandsOptions) {
    const { clock, tell } = options;
    this.#options = options;
    this.#budgets = new MemberBudgets(PAGE_BUDGETS.hands, clock);
    this.#own = { version: 0, place: null, at: clock.now() };
    this.#speak = atMostEvery(clock, HAND_GAP, () => {
      if (this.#told === this.#own.version) return;
      this.#told = this.#own.version;
      tell("all", this.#message);
    });
  }

  heard(from: MessageSender, hand: Hand): void {
    const waiting = this.#waiting.get(from.id);
    const known = waiting ?? this.#others.get(from.id);
    if (known !== undefined && hand.version <= known.version) return;
    if (waiting !== undefined) this.#waiting.set(from.id, hand);
    else if (this.#budgets.tryTake(from)) this.#follow(from.id, hand);
    else {
      this.#waiting.set(from.id, hand);
      this.#tryAgainLater(from);
    }
  }

  /** A member says that a hand is down. Only a host's word counts, and only for the hand that they saw. */
  heardLowered(identity: string, { leaf, version }: HandLowered): void {
    if (!this.#options.isHost(identity)) return;
    if (leaf === this.#options.me()) {
      if (version !== this.#own.version || this.#own.place === null) return;
      this.#isLowered = true;
      this.#setOwn(null);
    } else this.#putDown(leaf, version);
  }

  /** That member came, or this page did. */
  met(id: string): void {
    if (this.#own.place !== null) this.#options.tell(id, this.#message);
  }

  forget(id: string): void {
    this.#waiting.delete(id);
    if (this.#others.delete(id)) this.#show();
  }

  /** This page is another member now, whose hand is down. */
  rejoined(): void {
    this.#own = { version: this.#own.version + 1, place: null, at: this.#options.clock.now() };
    this.#told = this.#own.version;
    this.#show();
  }

  get #message(): Hand {
    return { type: "hand", version: this.#own.version, place: this.#own.place };
  }

  #tryAgainLater(from: MessageSender): void {
    this.#options.clock.after(AGAIN_AFTER, () => {
      const hand = this.#waiting.get(from.id);
      if (hand === undefined) return;
      if (!this.#budgets.tryTake(from)) return this.#tryAgainLater(from);
      this.#waiting.delete(from.id);
      this.#follow(from.id, hand);
    });
  }

  #follow(id: string, { version, place }: Hand): void {
    const now = this.#options.clock.now();
    this.#others.set(id, { version, place: place === null ? null : this.#believed(id, place, now), at: now });
    this.#show();
  }

  #raise(up: boolean): void {
    if (up === (this.#own.place !== null)) return;
    this.#isLowered = false;
    this.#setOwn(up ? highest(this.#others.values()) + 1 : null);
  }

  #setOwn(place: number | null): void {
    this.#own = { version: this.#own.version + 1, place, at: this.#options.clock.now() };
    this.#speak();
    this.#show();
  }

  #lower(id: string): void {
    const hand = this.#others.get(id);
    if (hand === undefined || hand.place === null) return;
    this.#options.tell("all", { type: "hand-lowered", leaf: id, version: hand.version });
    this.#putDown(id, hand.version);
  }

  #putDown(id: string, version: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting?.version === version) this.#waiting.set(id, { ...waiting, place: null });
    const hand = this.#others.get(id);
    if (hand === undefined || hand.version !== version || hand.place === null) return;
    this.#others.set(id, { ...hand, place: null });
    this.#show();
  }

  /** Behind those that are up for long, and not so far off that nobody could come after. */
  #believed(id: string, claimed: number, now: Milli): number {
    const others = [this.#own, ...[...this.#others].filter(([other]) => other !== id).map(([, hand]) => hand)];
    const settled = others.filter(({ at }) => now - at >= SETTLED_AFTER);
    return Math.min(Math.max(claimed, highest(settled) + 1), highest(others) + MOST_AT_ONCE);
  }

  #show(): void {
    const { me, show } = this.#options;
    const all = [
      [me() ?? "", this.#own, null] as const,
      ...[...this.#others].map(([id, hand]) => [id, hand, id] as const),
    ];
    const up = all.flatMap(([leaf, { place }, id]) => (place === null ? [] : [{ leaf, place, id }]));
    up.sort((one, other) => one.place - other.place || (one.leaf < other.leaf ? -1 : 1));
    show({ hands: { order: up.map(({ id }) => id), isLowered: this.#isLowered } });
  }
}

/** 0 where none is up. */
function highest(hands: Iterable<RaisedHand>): number {
  return Math.max(0, ...[...hands].map(({ place }) => place ?? 0));
}
