import { leafName, shownLine, shownName } from "@sealcast/keys";
import { type Clock, dropOldest, TokenBucket } from "@sealcast/time";
import { PAGE_BUDGETS } from "../budgets.ts";
import { MAX_TITLE, NOTHING_SAID, type StreamAbout } from "./about.ts";
import { type FromHost, type FromViewer, type HostAnswer, MAX_QUESTION, type SharedQuestion } from "./messages.ts";

export interface ShownAnswer extends HostAnswer {
  /** Whether all viewers see it. */
  isShared: boolean;
}

/** A question that all viewers see. */
interface ShownQuestion extends SharedQuestion {
  /** By this viewer. */
  isUpvoted: boolean;
}

export interface AskingView {
  about: StreamAbout;
  /** What others have asked, or this viewer, that can be upvoted; the first that came first. */
  questions: readonly ShownQuestion[];
  /** The first that came first. */
  answers: readonly ShownAnswer[];
  /** What the host is told that this viewer is called; "" is nothing. */
  name: string;
}

export const NOTHING_ASKED: AskingView = { about: NOTHING_SAID, questions: [], answers: [], name: "" };

export interface AskingActions {
  /** `no`: the host is not here. `wait`: that is too many for now. */
  ask(question: string): "yes" | "no" | "wait";
  /** What the host, and nobody else, is told that this viewer is called. Of no visible letter: nothing. `wait`: as in `ask`. */
  giveName(name: string): "yes" | "wait";
  /** Whether this viewer would like an answer to a question that all see. Nothing changes where the host is not here, or where that is too often. */
  upvote(question: string, up: boolean): void;
}

interface AskingOptions {
  clock: Clock;
  /** Whether there is a stream whose host hears this page. */
  isHeard(): boolean;
  tell(message: FromViewer): void;
  show(change: Partial<AskingView>): void;
  /** An answer too many was left out. */
  dropped(): void;
}

const MOST_ANSWERS = 50;

/** What a viewer and the host say to each other beside the stream. */
export class Asking {
  readonly actions: AskingActions = {
    ask: (question) => this.#ask(question),
    giveName: (name) => this.#giveName(name),
    upvote: (question, up) => this.#upvote(question, up),
  };
  readonly #options: AskingOptions;
  readonly #questions: TokenBucket;
  readonly #names: TokenBucket;
  readonly #upvotes: TokenBucket;
  readonly #news: TokenBucket;
  #shared: readonly SharedQuestion[] = [];
  readonly #upvoted = new Set<string>();
  readonly #answers = new Map<string, ShownAnswer>();
  #name = "";
  #host = "";

  constructor(options: AskingOptions) {
    this.#options = options;
    this.#questions = new TokenBucket(PAGE_BUDGETS.questions, options.clock);
    this.#names = new TokenBucket(PAGE_BUDGETS.names, options.clock);
    this.#upvotes = new TokenBucket(PAGE_BUDGETS.upvotes, options.clock);
    this.#news = new TokenBucket(PAGE_BUDGETS.answers, options.clock);
  }

  /** What the host is called; "" where they have not said. */
  get host(): string {
    return this.#host;
  }

  /** The host has just met this page. */
  greet(): void {
    if (this.#name !== "") this.#options.tell({ type: "name", name: this.#name });
    for (const question of this.#upvoted) this.#options.tell({ type: "upvote", question, up: true });
  }

  heard(message: Extract<FromHost, { type: "about" | "questions" | "answer" | "answers" }>): void {
    if (message.type === "about") return this.#heardOf(message);
    if (message.type === "questions") return this.#heardQuestions(message.questions);
    const isShared = message.type === "answers";
    for (const answer of isShared ? message.answers : [message.answer]) this.#answered({ ...answer, isShared });
    dropOldest(this.#answers, MOST_ANSWERS);
    this.#options.show({ answers: [...this.#answers.values()] });
  }

  #heardOf({ title, host }: StreamAbout): void {
    this.#host = shownName(host);
    this.#options.show({ about: { title: shownLine(title, MAX_TITLE), host: this.#host } });
  }

  #heardQuestions(questions: readonly SharedQuestion[]): void {
    this.#shared = questions;
    const ids = new Set(questions.map(({ id }) => id));
    for (const id of this.#upvoted) if (!ids.has(id)) this.#upvoted.delete(id);
    this.#showQuestions();
  }

  #showQuestions(): void {
    this.#options.show({ questions: this.#shared.map((one) => ({ ...one, isUpvoted: this.#upvoted.has(one.id) })) });
  }

  #upvote(question: string, up: boolean): void {
    const isShown = this.#shared.some(({ id }) => id === question);
    if (!isShown || !this.#options.isHeard() || !this.#upvotes.tryTake()) return;
    if (up) this.#upvoted.add(question);
    else this.#upvoted.delete(question);
    this.#options.tell({ type: "upvote", question, up });
    this.#showQuestions();
  }

  /** What was read out once is not read out again. */
  #answered(answer: ShownAnswer): void {
    const before = this.#answers.get(answer.id);
    const isKnown = before?.answer === answer.answer && before.question === answer.question;
    if (isKnown && (before.isShared || !answer.isShared)) return;
    if (!isKnown && !this.#news.tryTake()) return this.#options.dropped();
    this.#answers.set(answer.id, answer);
  }

  #ask(question: string): ReturnType<AskingActions["ask"]> {
    const text = question.trim().slice(0, MAX_QUESTION).toWellFormed();
    if (text === "" || !this.#options.isHeard()) return "no";
    if (!this.#questions.tryTake()) return "wait";
    this.#options.tell({ type: "question", text });
    return "yes";
  }

  #giveName(typed: string): ReturnType<AskingActions["giveName"]> {
    const name = leafName(typed) ?? "";
    if (name === this.#name) return "yes";
    if (!this.#names.tryTake()) return "wait";
    this.#name = name;
    this.#options.show({ name });
    if (this.#options.isHeard()) this.#options.tell({ type: "name", name });
    return "yes";
  }
}
