import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, it } from "vitest";
import { MOST_QUESTIONS_OF_ONE, PAGE_BUDGETS } from "../budgets.ts";
import { MAX_MESSAGE } from "../call/message.ts";
import { toJson } from "../json.ts";
import { MAX_ANSWER, MAX_QUESTION, MOST_SHARED, parseFromHost } from "./messages.ts";
import { Questions } from "./questions.ts";

let clock: ManualClock;
let questions: Questions;
beforeEach(() => {
  clock = new ManualClock();
  questions = new Questions(clock);
});
const texts = () => questions.asked.map(({ number, text }) => `${number} ${text}`);
const ask = (number: number, text: string) => questions.ask({ viewer: `viewer ${number}`, number, name: "", text });
const keyOf = (text: string) => questions.asked.find((one) => one.text === text)?.key ?? -1;

it("keeps what is asked, in order, until it is dismissed", () => {
  for (const [number, text] of [
    [1, "a"],
    [2, "b"],
    [1, "c"],
  ] as const)
    ask(number, text);
  expect(texts()).toEqual(["1 a", "2 b", "1 c"]);
  questions.dismiss(questions.asked[1]?.key ?? -1);
  expect(texts()).toEqual(["1 a", "1 c"]);
});

it("leaves out what one viewer asks too fast, and nothing of another's", () => {
  const { burst, perSecond } = PAGE_BUDGETS.questions;
  const taken = Array.from({ length: 3 * burst }, (_, at) => ask(1, `${at}`)).filter(Boolean);
  expect(taken.length).toBe(burst);
  expect(ask(2, "mine")).toBe(true);
  clock.advance(milli(1_000 / perSecond));
  expect([ask(1, "later"), ask(1, "at once")]).toEqual([true, false]);
});

it("drops a viewer's own oldest question for their next one, however slowly they ask", () => {
  ask(2, "mine");
  for (let asked = 0; asked < 200; asked++) {
    clock.advance(milli(60_000));
    ask(1, `${asked}`);
  }
  expect(texts().length).toBe(1 + MOST_QUESTIONS_OF_ONE);
  expect(texts()[0]).toBe("2 mine");
  expect(texts().at(-1)).toBe("1 199");
});

it("keeps a hundred of all viewers, of those who came first where each has asked one", () => {
  const taken = Array.from({ length: 150 }, (_, number) => ask(number, "why"));
  expect(taken.filter(Boolean).length).toBe(100);
  expect(questions.asked.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, at) => at));
  questions.dismiss(questions.asked[0]?.key ?? -1);
  expect(ask(150, "why")).toBe(true);
});

it("keeps what others asked from who comes again and again under another number, asks once and leaves", () => {
  for (let number = 1; number <= 20; number++) ask(number, "honest");
  questions.leave(20);
  for (let number = 21; number <= 320; number++) {
    clock.advance(milli(1_000));
    expect(ask(number, "spam")).toBe(true);
    questions.leave(number);
  }
  expect(questions.asked.length).toBe(100);
  expect(questions.asked.filter(({ text }) => text === "honest").length).toBe(20);
  expect(ask(3, "another"), "and who is here asks on").toBe(true);
  expect(questions.asked.filter(({ text }) => text === "honest").length).toBe(20);
});

it("drops the oldest of the viewer who has most, beyond a hundred", () => {
  const askLater = (number: number) => {
    clock.advance(milli(60_000));
    ask(number, "why");
  };
  for (const number of [1, ...Array.from({ length: 97 }, (_, at) => 10 + at), 2, 2]) askLater(number);
  askLater(2);
  expect(questions.asked.length).toBe(100);
  expect(questions.asked.filter(({ number }) => number === 1).length).toBe(1);
  expect(questions.asked.filter(({ number }) => number === 2).length).toBe(2);
});

it("answers a question to its viewer alone, and shows the same answer to all later", () => {
  ask(1, "How deep?");
  const alone = questions.answer(keyOf("How deep?"), " Nine metres. ", false);
  expect(alone).toEqual({
    viewer: "viewer 1",
    answer: { id: expect.stringMatching(/^[\w-]{22}$/), question: "How deep?", answer: "Nine metres." },
  });
  expect(questions.shared).toEqual([]);
  const shared = questions.answer(keyOf("How deep?"), "Nine metres.", true);
  expect(shared?.answer.id).toBe(alone?.answer.id);
  expect(questions.shared).toEqual([{ type: "answers", answers: [alone?.answer] }]);
  expect(questions.asked[0]?.answer).toEqual({ text: "Nine metres.", isShared: true });
  questions.dismiss(keyOf("How deep?"));
  expect(questions.shared.length, "who comes later sees it all the same").toBe(1);
});

it("says nothing where there is no such question or no answer, and of an answer no more than fits", () => {
  ask(1, "Why?");
  expect(questions.answer(99, "So.", true)).toBeNull();
  expect(questions.answer(keyOf("Why?"), "  ", true)).toBeNull();
  expect(questions.asked[0]?.answer).toBeNull();
  expect(questions.answer(keyOf("Why?"), "x".repeat(2_000), false)?.answer.answer.length).toBe(MAX_ANSWER);
});

it("shares the latest answers, as many as a message holds, whatever viewers put into their questions", () => {
  // A control character takes six bytes in JSON.
  const heavy = "\u0001".repeat(MAX_QUESTION);
  for (let number = 0; number < 40; number++) {
    ask(number, heavy);
    questions.answer(questions.asked.at(-1)?.key ?? -1, `answer ${number}`, true);
  }
  const [message] = questions.shared;
  const bytes = toJson(message ?? {});
  expect(bytes.length).toBeLessThanOrEqual(MAX_MESSAGE);
  expect(parseFromHost(bytes)).toEqual(message);
  expect(JSON.stringify(message)).toContain("answer 39");
});

/** What viewers can upvote, and how many do of all that was asked. */
const toUpvote = () => questions.toUpvote.questions.map(({ text }) => text);
const upvotes = () => questions.asked.map((one) => one.upvotes);
const idOf = (wanted: string) => questions.toUpvote.questions.find(({ text }) => text === wanted)?.id ?? "none";

it("shows viewers the questions that the host lets them upvote, without who asked, and no others", () => {
  expect(questions.state).toEqual([]);
  for (const [number, text] of ["a", "b", "c"].entries()) ask(number, text);
  for (const text of ["c", "a"]) questions.share(keyOf(text), true);
  expect(questions.state).toEqual([
    {
      type: "questions",
      questions: ["a", "c"].map((text) => ({ id: expect.stringMatching(/^[\w-]{22}$/), text })),
    },
  ]);
  questions.share(keyOf("a"), false);
  expect(toUpvote()).toEqual(["c"]);
  questions.dismiss(keyOf("c"));
  expect(questions.state, "who comes again sees that it is gone").toEqual([{ type: "questions", questions: [] }]);
});

it("counts each viewer who is here once, and only of what viewers see", () => {
  for (const [number, text] of ["a", "b"].entries()) ask(number, text);
  questions.share(keyOf("a"), true);
  const id = idOf("a");
  for (const number of [1, 2, 2, 3, 4]) expect(questions.upvote(number, id, true)).toBe(true);
  questions.upvote(3, id, false);
  questions.upvote(5, id, false);
  expect(questions.upvote(1, "x".repeat(22), true)).toBe(false);
  expect(upvotes()).toEqual([3, 0]);
  questions.leave(4);
  expect(upvotes(), "who comes again under another number has no second vote").toEqual([2, 0]);
  questions.share(keyOf("a"), false);
  expect([questions.upvote(6, id, true), upvotes()]).toEqual([false, [0, 0]]);
  questions.share(keyOf("a"), true);
  expect([upvotes(), questions.hasUpvoted(1, id)], "viewers forget theirs, too").toEqual([[0, 0], false]);
});

it("a question that is answered is to be upvoted no more, whether all see the answer or its viewer alone", () => {
  for (const [number, text] of ["a", "b"].entries()) {
    ask(number, text);
    questions.share(keyOf(text), true);
    questions.upvote(7, idOf(text), true);
    questions.answer(keyOf(text), "So.", number === 0);
    questions.share(keyOf(text), true);
    expect(toUpvote()).toEqual([]);
  }
  expect(upvotes()).toEqual([0, 0]);
});

it("what viewers upvote is pushed out by nothing that others ask, nor by its own viewer, as long as there is anything else", () => {
  for (let number = 0; number < 100; number++) ask(number, `${number}`);
  questions.share(keyOf("5"), true);
  questions.upvote(7, idOf("5"), true);
  questions.leave(5);
  for (let number = 200; number < 300; number++) {
    ask(number, "why");
    questions.leave(number);
  }
  expect([toUpvote(), questions.asked.length]).toEqual([["5"], 100]);
  for (let number = 0; number < 50; number++) questions.dismiss(keyOf(`${number + 10}`));
  ask(300, "mine");
  questions.share(keyOf("mine"), true);
  for (let asked = 0; asked < 50; asked++) {
    clock.advance(milli(60_000));
    ask(300, `${asked} more`);
  }
  expect(questions.asked.filter(({ number }) => number === 300).length).toBe(MOST_QUESTIONS_OF_ONE);
  expect(toUpvote()).toEqual(["5", "mine"]);
});

it("shows the latest questions to upvote, twenty and as many as a message holds", () => {
  for (const [text, most] of [
    ["why", MOST_SHARED],
    ["\u0001".repeat(MAX_QUESTION - 3), MOST_SHARED - 1],
  ] as const) {
    for (let number = 0; number < 30; number++) {
      ask(number, `${text}${number}`);
      questions.share(questions.asked.at(-1)?.key ?? -1, true);
    }
    const message = questions.toUpvote;
    const bytes = toJson(message);
    expect(bytes.length).toBeLessThanOrEqual(MAX_MESSAGE);
    expect(parseFromHost(bytes)).toEqual(message);
    expect(message.questions.length).toBeLessThanOrEqual(most);
    expect(message.questions.at(-1)?.text).toBe(`${text}29`);
    const said = new Set(message.questions.map(({ text }) => text));
    expect(new Set(questions.asked.flatMap(({ text, isShared }) => (isShared ? [text] : [])))).toEqual(said);
  }
});
