import { type Clock, milli, TokenBucket } from "@sealcast/time";
import * as v from "valibot";
import { PAGE_BUDGETS } from "../budgets.ts";

/** A host's, to one member: would you turn your microphone off? */
export const MuteRequest = v.strictObject({ type: v.literal("mute-request") });
export type MuteRequest = v.InferOutput<typeof MuteRequest>;

/** For so long after asking a person nobody is asked again. */
const ASKED_FOR = milli(15_000);

export interface MutingView {
  muting: {
    /** Who asks this person to mute, by name; null where nobody does, or it was answered. */
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
      this.#change({ askedBy: null });
    },
  };
  readonly #options: MutingOptions;
  readonly #budgets = new Map<string, TokenBucket>();
  #view = NOBODY_ASKS.muting;

  constructor(options: MutingOptions) {
    this.#options = options;
  }

  /** Only a host's counts, and only while the microphone is on. */
  heard({ id, identity, name }: { id: string; identity: string; name: string }): void {
    const { isHost, microphone, clock } = this.#options;
    if (!isHost(identity) || !microphone()) return;
    const budget = this.#budgets.get(id) ?? new TokenBucket(PAGE_BUDGETS.muteRequests, clock);
    this.#budgets.set(id, budget);
    if (budget.tryTake()) this.#change({ askedBy: name });
  }

  /** A device went on or off. */
  devicesChanged(): void {
    if (this.#view.askedBy !== null && !this.#options.microphone()) this.#change({ askedBy: null });
  }

  forget(id: string): void {
    this.#budgets.delete(id);
  }

  #ask(id: string): void {
    if (this.#view.asked.includes(id)) return;
    this.#options.tell(id, { type: "mute-request" });
    this.#change({ asked: [...this.#view.asked, id] });
    this.#options.clock.after(ASKED_FOR, () =>
      this.#change({ asked: this.#view.asked.filter((other) => other !== id) }),
    );
  }

  #change(change: Partial<MutingView["muting"]>): void {
    this.#view = { ...this.#view, ...change };
    this.#options.show({ muting: this.#view });
  }
}
