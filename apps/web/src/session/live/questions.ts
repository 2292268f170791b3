import { type Clock, TokenBucket } from "@sealcast/time";
import { MOST_QUESTIONS_OF_ONE, PAGE_BUDGETS } from "../budgets.ts";
import type { Question } from "./view.ts";

const MOST_QUESTIONS = 100;

/** What viewers ask: of each only so much, since a viewer who asks on and on would push out what others ask. */
export class Questions {
  readonly #clock: Clock;
  /** By the viewer's number. */
  readonly #rates = new Map<number, TokenBucket>();
  #asked: Question[] = [];
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The oldest first. */
  get asked(): readonly Question[] {
    return this.#asked;
  }

  /** False: this viewer asks too much, and the question is left out. */
  ask(number: number, text: string): boolean {
    const rate = this.#rates.get(number) ?? new TokenBucket(PAGE_BUDGETS.questions, this.#clock);
    this.#rates.set(number, rate);
    if (!rate.tryTake()) return false;
    const theirs = this.#asked.filter((question) => question.number === number);
    const oldest = theirs.length >= MOST_QUESTIONS_OF_ONE ? theirs[0] : undefined;
    const kept = this.#asked.filter((question) => question !== oldest);
    this.#asked = [...kept, { key: this.#count++, number, text }].slice(-MOST_QUESTIONS);
    return true;
  }

  dismiss(key: number): void {
    this.#asked = this.#asked.filter((question) => question.key !== key);
  }

  /** The viewer is gone; what they asked stays. */
  leave(number: number): void {
    this.#rates.delete(number);
  }
}
