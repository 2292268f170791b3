import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, it } from "vitest";
import { MOST_QUESTIONS_OF_ONE, PAGE_BUDGETS } from "../budgets.ts";
import { Questions } from "./questions.ts";

let clock: ManualClock;
let questions: Questions;
beforeEach(() => {
  clock = new ManualClock();
  questions = new Questions(clock);
});
const texts = () => questions.asked.map(({ number, text }) => `${number} ${text}`);

it("keeps what is asked, in order, until it is dismissed", () => {
  for (const [number, text] of [
    [1, "a"],
    [2, "b"],
    [1, "c"],
  ] as const)
    questions.ask(number, text);
  expect(texts()).toEqual(["1 a", "2 b", "1 c"]);
  questions.dismiss(questions.asked[1]?.key ?? -1);
  expect(texts()).toEqual(["1 a", "1 c"]);
});

it("leaves out what one viewer asks too fast, and nothing of another's", () => {
  const { burst, perSecond } = PAGE_BUDGETS.questions;
  const taken = Array.from({ length: 3 * burst }, (_, at) => questions.ask(1, `${at}`)).filter(Boolean);
  expect(taken.length).toBe(burst);
  expect(questions.ask(2, "mine")).toBe(true);
  clock.advance(milli(1_000 / perSecond));
  expect([questions.ask(1, "later"), questions.ask(1, "at once")]).toEqual([true, false]);
});

it("drops a viewer's own oldest question for their next one, however slowly they ask", () => {
  questions.ask(2, "mine");
  for (let asked = 0; asked < 200; asked++) {
    clock.advance(milli(60_000));
    questions.ask(1, `${asked}`);
  }
  expect(texts().length).toBe(1 + MOST_QUESTIONS_OF_ONE);
  expect(texts()[0]).toBe("2 mine");
  expect(texts().at(-1)).toBe("1 199");
});

it("keeps a hundred of all viewers, the latest", () => {
  for (let number = 0; number < 150; number++) questions.ask(number, "why");
  expect(questions.asked.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, at) => 50 + at));
});

it("drops the oldest of the viewer who has most, beyond a hundred", () => {
  const ask = (number: number) => {
    clock.advance(milli(60_000));
    questions.ask(number, "why");
  };
  for (const number of [1, ...Array.from({ length: 97 }, (_, at) => 10 + at), 2, 2]) ask(number);
  ask(2);
  expect(questions.asked.length).toBe(100);
  expect(questions.asked.filter(({ number }) => number === 1).length).toBe(1);
  expect(questions.asked.filter(({ number }) => number === 2).length).toBe(2);
});
