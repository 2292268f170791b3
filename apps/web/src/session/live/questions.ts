import { toBase64url } from "@sealcast/bytes";
import { type Clock, TokenBucket } from "@sealcast/time";
import { MOST_QUESTIONS_OF_ONE, PAGE_BUDGETS } from "../budgets.ts";
import { MAX_MESSAGE } from "../call/message.ts";
import { toJson } from "../json.ts";
import { type FromHost, type HostAnswer, MAX_ANSWER, MOST_SHARED } from "./messages.ts";

export interface Question {
  key: number;
  /** The viewer's, among those who are here. */
  viewer: string;
  number: number;
  /** What the viewer was called then; "" is nothing. */
  name: string;
  text: string;
  /** Null before the host has answered. */
  answer: { text: string; isShared: boolean } | null;
  /** All viewers see it, without who asked, and can upvote it. */
  isShared: boolean;
  /** Of viewers who are here. */
  upvotes: number;
}

type Asked = Pick<Question, "viewer" | "number" | "name" | "text">;

interface Entry extends Omit<Question, "upvotes"> {
  /** What viewers know it by, and its answer. */
  readonly id: string;
}

const MOST_QUESTIONS = 100;

/** What viewers ask, and what the host answered: of each only so much, since a viewer who asks on and on would push out what others ask. */
export class Questions {
  readonly #clock: Clock;
  /** By the viewer's number. */
  readonly #rates = new Map<number, TokenBucket>();
  /** By question: the numbers of the viewers who would like an answer. */
  readonly #upvoters = new Map<string, Set<number>>();
  #asked: Entry[] = [];
  #shared: HostAnswer[] = [];
  /** Viewers have been shown questions. */
  #wasShared = false;
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The oldest first. */
  get asked(): readonly Question[] {
    return this.#asked.map((one) => ({ ...one, upvotes: this.#upvoters.get(one.id)?.size ?? 0 }));
  }

  /** What a viewer who comes is to see of them. */
  get state(): readonly FromHost[] {
    return [...this.shared, ...(this.#wasShared ? [this.toUpvote] : [])];
  }

  /** What viewers can upvote: of those that all see as many of the latest as fit into a message. */
  get toUpvote(): Extract<FromHost, { type: "questions" }> {
    const shared = this.#asked.flatMap(({ id, text, isShared }) => (isShared ? [{ id, text }] : []));
    const questions = latestThatFit(shared.slice(-MOST_SHARED), (questions) => ({ type: "questions", questions }));
    return { type: "questions", questions };
  }

  /** The answers that all viewers see, also those who come later: as many of the latest as fit into a message. None where there are none. */
  get shared(): FromHost[] {
    const answers = latestThatFit(this.#shared, (answers) => ({ type: "answers", answers }));
    return answers.length === 0 ? [] : [{ type: "answers", answers }];
  }

  /** False: this viewer asks too much, or too many others have asked, and the question is left out. */
  ask(question: Asked): boolean {
    const { number } = question;
    const rate = this.#rates.get(number) ?? new TokenBucket(PAGE_BUDGETS.questions, this.#clock);
    this.#rates.set(number, rate);
    if (!rate.tryTake()) return false;
    const theirs = this.#asked.filter((one) => one.number === number);
    if (theirs.length >= MOST_QUESTIONS_OF_ONE) this.#drop(theirs.find(({ isShared }) => !isShared) ?? theirs[0]);
    const id = toBase64url(crypto.getRandomValues(new Uint8Array(16)));
    const entry = { ...question, key: this.#count++, answer: null, id, isShared: false };
    this.#asked = [...this.#asked, entry];
    if (this.#asked.length > MOST_QUESTIONS) this.#drop(this.#leastMissed);
    return this.#asked.includes(entry);
  }

  /**
   * Answers a question, for its viewer alone or, where it `isShared`, for all.
   * @returns null where there is no such question any more, or nothing to say.
   */
  answer(key: number, said: string, isShared: boolean): { viewer: string; answer: HostAnswer } | null {
    const question = this.#asked.find((one) => one.key === key);
    const text = said.trim().slice(0, MAX_ANSWER).toWellFormed();
    if (question === undefined || text === "") return null;
    this.#change(question, { answer: { text, isShared }, isShared: false });
    const answer = { id: question.id, question: question.text, answer: text };
    if (isShared) this.#shared = [...this.#shared.filter(({ id }) => id !== answer.id), answer].slice(-MOST_SHARED);
    return { viewer: question.viewer, answer };
  }

  /** Whether all viewers see a question from now on, and can upvote it. One that was answered they see with its answer, or not at all. */
  share(key: number, isShared: boolean): void {
    const question = this.#asked.find((one) => one.key === key);
    if (question?.answer !== null) return;
    this.#wasShared ||= isShared;
    this.#change(question, { isShared });
    // What does not fit any more is hidden, the oldest first.
    const fit = new Set(this.toUpvote.questions.map(({ id }) => id));
    for (const one of this.#asked) if (one.isShared && !fit.has(one.id)) this.#change(one, { isShared: false });
  }

  hasUpvoted(number: number, id: string): boolean {
    return this.#upvoters.get(id)?.has(number) ?? false;
  }

  /** False: all viewers see no such question. */
  upvote(number: number, id: string, up: boolean): boolean {
    if (!this.#asked.some((one) => one.id === id && one.isShared)) return false;
    const upvoters = this.#upvoters.get(id) ?? new Set();
    this.#upvoters.set(id, upvoters);
    if (up) upvoters.add(number);
    else upvoters.delete(number);
    return true;
  }

  /** Votes end with what they are for: viewers forget theirs. */
  #change(question: Entry, change: Partial<Entry>): void {
    if (change.isShared === false) this.#upvoters.delete(question.id);
    this.#asked = this.#asked.map((one) => (one === question ? { ...one, ...change } : one));
  }

  /**
   * Of who has left the newest, since one who comes again and again under other numbers would push out what others asked. Where
   * nobody has, the oldest of the viewer who has most: of several who have as many, of the one who came last. None that all viewers see
   * as long as there are others.
   */
  get #leastMissed(): Entry | undefined {
    const unshared = this.#asked.filter(({ isShared }) => !isShared);
    const asked = unshared.length > 0 ? unshared : this.#asked;
    const left = asked.findLast(({ number }) => !this.#rates.has(number));
    if (left !== undefined) return left;
    const counts = new Map<number, number>();
    for (const { number } of asked) counts.set(number, (counts.get(number) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const theirs = Math.max(...[...counts].flatMap(([number, count]) => (count === most ? [number] : [])));
    return asked.find(({ number }) => number === theirs);
  }

  #drop(one: Entry | undefined): void {
    this.#asked = this.#asked.filter((question) => question !== one);
    if (one !== undefined) this.#upvoters.delete(one.id);
  }

  /** Off the host's list; an answer to it stays with those who have it. */
  dismiss(key: number): void {
    this.#drop(this.#asked.find((question) => question.key === key));
  }

  /** The viewer is gone; what they asked stays, and nothing that they have upvoted counts: who comes again has no second vote. */
  leave(number: number): void {
    this.#rates.delete(number);
    for (const upvoters of this.#upvoters.values()) upvoters.delete(number);
  }
}

/** As many of the last as a message holds. */
function latestThatFit<T>(all: readonly T[], message: (some: readonly T[]) => object): T[] {
  let some = all;
  while (toJson(message(some)).length > MAX_MESSAGE) some = some.slice(1);
  return [...some];
}
