import { type Clock, milli } from "@sealcast/time";
import * as v from "valibot";
import { PAGE_BUDGETS } from "../budgets.ts";
import { MemberBudgets, type MessageSender } from "../member-budgets.ts";

/** A host's, to one member: would you turn your microphone off? */
export const MuteRequest = v.strictObject({ type: v.literal("mute-request") });
export type MuteRequest = v.InferOutput<typeof MuteRequest>;

/** For so long after asking a person nobody is asked again. */
const ASKED_FOR = milli(15_000);

export interface MutingView {
  muting: {
    /** Id of who asks this person to mute; null where nobody does, it was answered, or they have left. */
    askedBy: string | null;
    /** Ids of those whom this person has just asked. */
    asked: readonly string[];
  };
}

export const NOBODY_ASKS: MutingView = { muting: { askedBy: null, asked: [] } };

export interface MutingActions {
  /** A host's: asks this person (by id) to mute. Nobody is muted but by themselves. */
  askToMute(id: string): void;
  /** Mutes, or leaves the microphone on: the question is answered. */
  answerMuting(mute: boolean): void;
}

interface MutingOptions {
  clock: Clock;
  isHost(identity: string): boolean;
  microphone(): boolean;
  mute(): void;
  tell(to: string, message: MuteRequest): void;
  show(change: MutingView): void;
}

/** Hosts who ask people to mute. */
export class Muting {
  readonly actions: MutingActions = {
    askToMute: (id) => this.#ask(id),
    answerMuting: (mute) => {
      if (mute) this.#options.mute();
      this.#answered();
    },
  };
  readonly #options: MutingOptions;
  readonly #budgets: MemberBudgets;
  /** Ids of those whose question waits for an answer; of several, the last one's shows. */
  readonly #askers = new Set<string>();
  #view = NOBODY_ASKS.muting;

  constructor(options: MutingOptions) {
    this.#options = options;
    this.#budgets = new MemberBudgets(PAGE_BUDGETS.muteRequests, options.clock);
  }

  /** Only a host's counts, and only while the microphone is on. */
  heard(from: MessageSender): void {
    const { isHost, microphone } = this.#options;
    if (!isHost(from.identity) || !microphone() || !this.#budgets.tryTake(from)) return;
    this.#askers.delete(from.id);
    this.#askers.add(from.id);
    this.#showAsker();
  }

  /** A device went on or off. */
  devicesChanged(): void {
    if (this.#view.askedBy !== null && !this.#options.microphone()) this.#answered();
  }

  /** That member has gone, and with them what they asked. */
  forget(id: string): void {
    if (this.#askers.delete(id)) this.#showAsker();
  }

  #ask(id: string): void {
    if (this.#view.asked.includes(id)) return;
    this.#options.tell(id, { type: "mute-request" });
    this.#change({ asked: [...this.#view.asked, id] });
    this.#options.clock.after(ASKED_FOR, () =>
      this.#change({ asked: this.#view.asked.filter((other) => other !== id) }),
    );
  }

  #answered(): void {
    this.#askers.clear();
    this.#showAsker();
  }

  #showAsker(): void {
    this.#change({ askedBy: [...this.#askers].at(-1) ?? null });
  }

  #change(change: Partial<MutingView["muting"]>): void {
    this.#view = { ...this.#view, ...change };
    this.#options.show({ muting: this.#view });
  }
}
