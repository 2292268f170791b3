import { ManualClock, milli } from "@sealcast/time";
import { expect, test, vi } from "vitest";
import { Lifetime } from "./lifetime.ts";

test("what was set up is undone at the end, once, in its order", () => {
  const life = new Lifetime(new ManualClock());
  const undone: string[] = [];
  life.bind(() => undone.push("one"));
  life.bind(() => undone.push("two"));
  expect(life.isOver).toBe(false);
  life.end();
  life.end();
  expect([life.isOver, undone]).toEqual([true, ["one", "two"]]);
});

test("what is set up after the end is undone at once", () => {
  const life = new Lifetime(new ManualClock());
  life.end();
  const undo = vi.fn();
  life.bind(undo);
  expect(undo).toHaveBeenCalledOnce();
});

test("after the end no event is heard and no timer runs", () => {
  const clock = new ManualClock();
  const life = new Lifetime(clock);
  const target = new EventTarget();
  const [heard, ticked, due] = [vi.fn(), vi.fn(), vi.fn()];
  life.on(target, "online", heard);
  life.every(milli(10), ticked);
  life.after(milli(100), due);
  target.dispatchEvent(new Event("online"));
  clock.advance(milli(20));
  life.end();
  target.dispatchEvent(new Event("online"));
  clock.advance(milli(1_000));
  expect([heard, ticked, due].map((fn) => fn.mock.calls.length)).toEqual([1, 2, 0]);
});
