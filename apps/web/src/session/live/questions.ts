import { type Clock, TokenBucket } from "@sealcast/time";
import { MOST_QUESTIONS_OF_ONE, PAGE_BUDGETS } from "../budgets.ts";

export interface Question {
  key: number;
  /** The viewer's. */
  number: number;
  text: string;
}

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
    if (theirs.length >= MOST_QUESTIONS_OF_ONE) this.#drop(theirs[0]);
    this.#asked = [...this.#asked, { key: this.#count++, number, text }];
    if (this.#asked.length > MOST_QUESTIONS) this.#drop(this.#oldestOfMost);
    return true;
  }

  /** The oldest question of the viewer who has most: nobody pushes out another's. */
  get #oldestOfMost(): Question | undefined {
    const counts = new Map<number, number>();
    for (const { number } of this.#asked) counts.set(number, (counts.get(number) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return this.#asked.find(({ number }) => counts.get(number) === most);
  }

  #drop(one: Question | undefined): void {
    this.#asked = this.#asked.filter((question) => question !== one);
  }

  dismiss(key: number): void {
    this.#asked = this.#asked.filter((question) => question.key !== key);
  }

  /** The viewer is gone; what they asked stays. */
  leave(number: number): void {
    this.#rates.delete(number);
  }
}
