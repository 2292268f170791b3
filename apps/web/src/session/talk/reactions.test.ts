import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, it } from "vitest";
import { OWN_BUDGETS, PAGE_BUDGETS } from "../budgets.ts";
import { type Reaction, Reactions, type ReactionsView } from "./reactions.ts";

let clock: ManualClock;
let view: ReactionsView["reactions"];
let changes: number;
let told: Reaction[];
let reactions: Reactions;
beforeEach(() => {
  clock = new ManualClock();
  [view, changes, told] = [[], 0, []];
  reactions = new Reactions({
    clock,
    tell: (message) => told.push(message),
    show: (change) => {
      view = change.reactions;
      changes++;
    },
  });
});
const sender = (id: string) => ({ id, identity: id });
const shown = () => view.map(({ id, kind }) => `${id} ${kind}`);
const reacts = (reaction: Reaction["reaction"]): Reaction => ({ type: "reaction", reaction });

it("shows for some seconds, the last one of each person", () => {
  reactions.heard(sender("ben"), reacts("heart"));
  reactions.actions.react("clapping");
  clock.advance(milli(3_000));
  reactions.heard(sender("ben"), reacts("laughing"));
  expect(shown()).toEqual(["null clapping", "ben laughing"]);
  expect(told).toEqual([reacts("clapping")]);
  clock.advance(milli(3_000));
  expect(shown()).toEqual(["ben laughing"]);
  clock.advance(milli(3_000));
  expect(shown()).toEqual([]);
});

it("is gone with who showed it", () => {
  reactions.heard(sender("ben"), reacts("heart"));
  reactions.forget("ben");
  expect(shown()).toEqual([]);
});

it("of a member who shows too many, most are left out, and none of another", () => {
  const before = changes;
  for (let at = 0; at < 500; at++) reactions.heard(sender("eve"), reacts("heart"));
  expect(changes - before).toBe(PAGE_BUDGETS.reactions.burst);
  reactions.heard(sender("ben"), reacts("heart"));
  expect(shown()).toEqual(["eve heart", "ben heart"]);
});

it("of a member who leaves and comes back, no more are shown", () => {
  let shown = 0;
  for (let come = 0; come < 100; come++) {
    reactions.heard({ id: `${come}`, identity: "eve" }, reacts("heart"));
    shown += view.length;
    reactions.forget(`${come}`);
  }
  expect(shown).toBe(PAGE_BUDGETS.reactions.burst);
});

it("this page shows no more than others take", () => {
  for (let at = 0; at < 500; at++) reactions.actions.react("heart");
  expect(told.length).toBe(OWN_BUDGETS.reactions.burst);
});
