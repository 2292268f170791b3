import type { Question } from "./view.ts";

const MOST = 100;
const MOST_OF_ONE = 5;

/**
 * The questions with one more. Of one viewer the latest five stay; of more than a hundred, the oldest of the viewer who has
 * most goes, so that nobody pushes out another's.
 */
export function withQuestion(questions: readonly Question[], asked: Question): Question[] {
  const all = [...questions, asked];
  const ofOne = all.filter(({ number }) => number === asked.number);
  if (ofOne.length > MOST_OF_ONE) return without(all, ofOne[0]);
  if (all.length <= MOST) return all;
  const counts = new Map<number, number>();
  for (const { number } of all) counts.set(number, (counts.get(number) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return without(
    all,
    all.find(({ number }) => counts.get(number) === most),
  );
}

function without(questions: readonly Question[], one: Question | undefined): Question[] {
  return questions.filter((question) => question !== one);
}
