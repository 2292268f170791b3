import { ManualClock, milli } from "@sealcast/time";
import { expect, it } from "vitest";
import { MemberBudgets } from "./member-budgets.ts";

const rate = { burst: 3, perSecond: 1 };
const taken = (budgets: MemberBudgets, identity: string) =>
  Array.from({ length: 10 }, () => budgets.tryTake({ identity })).filter(Boolean).length;

it("gives each member a rate of their own, which refills", () => {
  const clock = new ManualClock();
  const budgets = new MemberBudgets(rate, clock);
  expect([taken(budgets, "eve"), taken(budgets, "ben")]).toEqual([3, 3]);
  clock.advance(milli(2_000));
  expect([taken(budgets, "eve"), taken(budgets, "ben")]).toEqual([2, 2]);
});

it("others who come make nobody's budget fresh", () => {
  const clock = new ManualClock();
  const budgets = new MemberBudgets(rate, clock);
  expect(taken(budgets, "eve")).toBe(3);
  clock.advance(milli(1_000));
  for (let come = 0; come < 100; come++) budgets.tryTake({ identity: `${come}` });
  expect(taken(budgets, "eve")).toBe(1);
});
