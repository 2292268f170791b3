import { leafName, shownLine, shownName } from "@sealcast/keys";
import { type Clock, dropOldest, TokenBucket } from "@sealcast/time";
import { PAGE_BUDGETS } from "../budgets.ts";
import { MAX_TITLE, NOTHING_SAID, type StreamAbout } from "./about.ts";
import { type FromHost, type FromViewer, type HostAnswer, MAX_QUESTION } from "./messages.ts";

export interface ShownAnswer extends HostAnswer {
  /** Whether all viewers see it. */
  isShared: boolean;
}

export interface AskingView {
  about: StreamAbout;
  /** The first that came first. */
  answers: readonly ShownAnswer[];
  /** What the host is told that this viewer is called; "" is nothing. */
  name: string;
}

export const NOTHING_ASKED: AskingView = { about: NOTHING_SAID, answers: [], name: "" };

export interface AskingActions {
  /** `no`: the host is not here. `wait`: that is too many for now. */
  ask(question: string): "yes" | "no" | "wait";
  /** What the host, and nobody else, is told that this viewer is called. Of no visible letter: nothing. `wait`: as in `ask`. */
  giveName(name: string): "yes" | "wait";
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
  };
  readonly #options: AskingOptions;
  readonly #questions: TokenBucket;
  readonly #names: TokenBucket;
  readonly #news: TokenBucket;
  readonly #answers = new Map<string, ShownAnswer>();
  #name = "";
  #host = "";

  constructor(options: AskingOptions) {
    this.#options = options;
    this.#questions = new TokenBucket(PAGE_BUDGETS.questions, options.clock);
    this.#names = new TokenBucket(PAGE_BUDGETS.names, options.clock);
    this.#news = new TokenBucket(PAGE_BUDGETS.answers, options.clock);
  }

  /** What the host is called; "" where they have not said. */
  get host(): string {
    return this.#host;
  }

  /** The host has just met this page. */
  greet(): void {
    if (this.#name !== "") this.#options.tell({ type: "name", name: this.#name });
  }

  heard(message: Extract<FromHost, { type: "about" | "answer" | "answers" }>): void {
    if (message.type === "about") return this.#heardOf(message);
    const isShared = message.type === "answers";
    for (const answer of isShared ? message.answers : [message.answer]) this.#answered({ ...answer, isShared });
    dropOldest(this.#answers, MOST_ANSWERS);
    this.#options.show({ answers: [...this.#answers.values()] });
  }

  #heardOf({ title, host }: StreamAbout): void {
    this.#host = shownName(host);
    this.#options.show({ about: { title: shownLine(title, MAX_TITLE), host: this.#host } });
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
