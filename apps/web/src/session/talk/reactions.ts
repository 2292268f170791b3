import { type Clock, milli, TokenBucket } from "@sealcast/time";
import * as v from "valibot";
import { OWN_BUDGETS, PAGE_BUDGETS } from "../budgets.ts";
import { MemberBudgets, type MessageSender } from "../member-budgets.ts";

/** What a person can show that they think, without a word. */
export const REACTIONS = ["thumbs-up", "clapping", "heart", "laughing", "surprised", "celebrating"] as const;
/** A reaction is shown for so long. */
const SHOWN_FOR = milli(6_000);

export const Reaction = v.strictObject({ type: v.literal("reaction"), reaction: v.picklist(REACTIONS) });
export type Reaction = v.InferOutput<typeof Reaction>;
export type ReactionKind = Reaction["reaction"];

/** Of one person, the last one shows. */
export interface ShownReaction {
  /** The person's; null for this one. */
  id: string | null;
  kind: ReactionKind;
  /** Another one for each reaction. */
  key: number;
}

export interface ReactionsView {
  reactions: readonly ShownReaction[];
}

export const NO_REACTIONS: ReactionsView = { reactions: [] };

export interface ReactionsActions {
  /** Shows it to everybody for some seconds. Of too many at once some are left out. */
  react(kind: ReactionKind): void;
}

interface ReactionsOptions {
  clock: Clock;
  tell(message: Reaction): void;
  show(change: ReactionsView): void;
}

/** Reactions that show at present. */
export class Reactions {
  readonly actions: ReactionsActions = { react: (kind) => this.#react(kind) };
  readonly #options: ReactionsOptions;
  readonly #own: TokenBucket;
  readonly #budgets: MemberBudgets;
  #shown: readonly ShownReaction[] = [];
  #count = 0;

  constructor(options: ReactionsOptions) {
    this.#options = options;
    this.#own = new TokenBucket(OWN_BUDGETS.reactions, options.clock);
    this.#budgets = new MemberBudgets(PAGE_BUDGETS.reactions, options.clock);
  }

  heard(from: MessageSender, { reaction }: Reaction): void {
    if (this.#budgets.tryTake(from)) this.#add(from.id, reaction);
  }

  forget(id: string): void {
    this.#set(this.#shown.filter((shown) => shown.id !== id));
  }

  #react(reaction: ReactionKind): void {
    if (!this.#own.tryTake()) return;
    this.#add(null, reaction);
    this.#options.tell({ type: "reaction", reaction });
  }

  #add(id: string | null, kind: ReactionKind): void {
    const key = this.#count++;
    this.#set([...this.#shown.filter((shown) => shown.id !== id), { id, kind, key }]);
    this.#options.clock.after(SHOWN_FOR, () => this.#set(this.#shown.filter((shown) => shown.key !== key)));
  }

  #set(shown: readonly ShownReaction[]): void {
    if (shown.length === this.#shown.length && shown.every((one, at) => one === this.#shown[at])) return;
    this.#shown = shown;
    this.#options.show({ reactions: shown });
  }
}
