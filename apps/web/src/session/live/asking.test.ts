import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, test } from "vitest";
import { PAGE_BUDGETS } from "../budgets.ts";
import { Asking, type AskingView, NOTHING_ASKED } from "./asking.ts";
import type { FromViewer } from "./messages.ts";

let clock: ManualClock;
let view: AskingView;
let told: FromViewer[];
let isHeard: boolean;
let dropped: number;
let asking: Asking;
beforeEach(() => {
  clock = new ManualClock();
  view = NOTHING_ASKED;
  told = [];
  isHeard = true;
  dropped = 0;
  asking = new Asking({
    clock,
    isHeard: () => isHeard,
    tell: (message) => told.push(message),
    show: (change) => {
      view = { ...view, ...change };
    },
    dropped: () => dropped++,
  });
});

const answer = (id: number, text = "Nine metres.") => ({
  id: String(id).padStart(22, "x"),
  question: "How deep?",
  answer: text,
});
const texts = () => view.answers.map(({ answer, isShared }) => `${isShared ? "all" : "me"}: ${answer}`);

test("a question goes out while the host hears it, cut to what fits, and no more of them than the host takes", () => {
  expect(asking.actions.ask("   ")).toBe("no");
  isHeard = false;
  expect(asking.actions.ask("Why?")).toBe("no");
  isHeard = true;
  expect(asking.actions.ask(` ${"x".repeat(900)} `)).toBe("yes");
  expect(told).toEqual([{ type: "question", text: "x".repeat(500) }]);
  const outcomes = Array.from({ length: PAGE_BUDGETS.questions.burst }, () => asking.actions.ask("Why?"));
  expect(outcomes.at(-1)).toBe("wait");
  clock.advance(milli(1_000 / PAGE_BUDGETS.questions.perSecond));
  expect(asking.actions.ask("Why?")).toBe("yes");
});

test("a name is told when it changes and to a host who does not know it yet, and is taken back by an empty one", () => {
  asking.greet();
  expect(told).toEqual([]);
  isHeard = false;
  expect(asking.actions.giveName("  Ann\u202e ")).toBe("yes");
  expect(told).toEqual([]);
  asking.greet();
  isHeard = true;
  expect(asking.actions.giveName("Ann")).toBe("yes");
  expect(asking.actions.giveName(" ")).toBe("yes");
  expect(told).toEqual([
    { type: "name", name: "Ann" },
    { type: "name", name: "" },
  ]);
  expect(view.name).toBe("");
});

test("of names no more go out than the host takes", () => {
  const outcomes = Array.from({ length: PAGE_BUDGETS.names.burst + 1 }, (_, at) =>
    asking.actions.giveName(`Ann ${at}`),
  );
  expect([outcomes.filter((one) => one === "yes").length, outcomes.at(-1)]).toEqual([PAGE_BUDGETS.names.burst, "wait"]);
  expect(told.length).toBe(PAGE_BUDGETS.names.burst);
});

test("what the host says of the stream is one line, without what is invisible, however it comes", () => {
  asking.heard({ type: "about", title: `Tide\n\u202etables ${"x".repeat(300)}`, host: "\u200bAnn\u0007" });
  expect(view.about.title).toBe(`Tide tables ${"x".repeat(68)}…`);
  expect([view.about.host, asking.host]).toEqual(["Ann", "Ann"]);
});

test("an answer takes the place of the one before, and one that all see stays one that all see", () => {
  asking.heard({ type: "answer", answer: answer(1) });
  asking.heard({ type: "answer", answer: answer(1, "Ten.") });
  asking.heard({ type: "answers", answers: [answer(2, "Yes."), answer(1, "Ten.")] });
  asking.heard({ type: "answer", answer: answer(1, "Ten.") });
  expect(texts()).toEqual(["all: Ten.", "all: Yes."]);
});

test("a host that answers on and on is heard at a rate, fifty answers are kept, and what is known costs nothing", () => {
  for (let id = 0; id < 200; id++) asking.heard({ type: "answer", answer: answer(id) });
  expect([view.answers.length, dropped]).toEqual([PAGE_BUDGETS.answers.burst, 200 - PAGE_BUDGETS.answers.burst]);
  for (let id = 0; id < 100; id++) {
    clock.advance(milli(2_000));
    asking.heard({ type: "answer", answer: answer(1_000 + id, `${id}`) });
  }
  expect(view.answers.length).toBe(50);
  expect(texts().at(-1)).toBe("me: 99");
  const before = dropped;
  for (let again = 0; again < 100; again++) asking.heard({ type: "answer", answer: answer(1_099, "99") });
  expect(dropped).toBe(before);
});

const asked = (id: number, text = "How deep?") => ({ id: String(id).padStart(22, "x"), text });
const upvoted = () => view.questions.map(({ text, isUpvoted }) => `${isUpvoted ? "+" : "-"} ${text}`);

test("what all viewers see can be upvoted and taken back while the host hears it, and nothing else", () => {
  asking.heard({ type: "questions", questions: [asked(1), asked(2, "Why?")] });
  asking.actions.upvote(asked(1).id, true);
  asking.actions.upvote(asked(3).id, true);
  expect(upvoted()).toEqual(["+ How deep?", "- Why?"]);
  isHeard = false;
  asking.actions.upvote(asked(2).id, true);
  expect(upvoted()).toEqual(["+ How deep?", "- Why?"]);
  isHeard = true;
  asking.actions.upvote(asked(1).id, false);
  expect(upvoted()).toEqual(["- How deep?", "- Why?"]);
  expect(told).toEqual([true, false].map((up) => ({ type: "upvote", question: asked(1).id, up })));
});

test("a host who knows this page as another one hears again what it has upvoted, of what is still to be upvoted", () => {
  asking.heard({ type: "questions", questions: [asked(1), asked(2)] });
  for (const id of [1, 2]) asking.actions.upvote(asked(id).id, true);
  asking.heard({ type: "questions", questions: [asked(2), asked(4, "Why?")] });
  told.length = 0;
  asking.greet();
  expect(told).toEqual([{ type: "upvote", question: asked(2).id, up: true }]);
  expect(upvoted()).toEqual(["+ How deep?", "- Why?"]);
});

test("of upvotes no more go out than the host takes", () => {
  asking.heard({ type: "questions", questions: [asked(1)] });
  const { burst, perSecond } = PAGE_BUDGETS.upvotes;
  for (let time = 0; time < 3 * burst; time++) asking.actions.upvote(asked(1).id, time % 2 === 0);
  expect(told.length).toBe(burst);
  clock.advance(milli(1_000 / perSecond));
  asking.actions.upvote(asked(1).id, true);
  expect(told.length).toBe(burst + 1);
});
