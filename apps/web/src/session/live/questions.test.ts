import { expect, test } from "vitest";
import { withQuestion } from "./questions.ts";
import type { Question } from "./view.ts";

let keys = 0;
const by = (number: number): Question => ({ key: keys++, number, text: "why?" });
const asked = (...numbers: number[]) => numbers.reduce<Question[]>((all, number) => withQuestion(all, by(number)), []);
const counted = (questions: Question[], number: number) =>
  questions.filter((question) => question.number === number).length;

test("a viewer who asks without end pushes out nobody's questions but their own", () => {
  const before = asked(1, 2, 3, 2);
  const after = Array.from({ length: 1000 }, () => 9).reduce((all, number) => withQuestion(all, by(number)), before);
  expect(after.slice(0, 4)).toEqual(before);
  expect(after).toHaveLength(9);
  expect(after.at(-1)?.key).toBe(keys - 1);
});

test("of more than a hundred, the oldest of the one who has most goes", () => {
  const others = Array.from({ length: 98 }, (_, i) => i + 10);
  const full = asked(1, ...others, 2);
  expect(full).toHaveLength(100);
  const more = withQuestion(withQuestion(full, by(2)), by(2));
  expect(more).toHaveLength(100);
  expect([counted(more, 1), counted(more, 2)]).toEqual([1, 1]);
  // With one each, the oldest of all.
  const next = withQuestion(full, by(500));
  expect([counted(next, 1), counted(next, 500), next.length]).toEqual([0, 1, 100]);
});
