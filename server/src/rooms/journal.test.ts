import { expect, test } from "vitest";
import { Allowance } from "../sockets/allowance.ts";
import { Journal, type Numbered } from "./journal.ts";

const relayed = (body: string) => (seq: number) => ({ type: "relayed", seq, from: "member", body }) as const;
type Kept = Journal<{ lost: number }>;
const reader = () => ({ lost: 0 });
const numbers = (texts: string[] | null) => texts?.map((text) => (JSON.parse(text) as Numbered).seq);

test("numbers rise by one, and a reader gets back only what was for it", () => {
  const journal = new Journal(new Allowance());
  const [one, other] = [reader(), reader()];
  journal.append([one, other], relayed("a"));
  journal.append([other], relayed("b"));
  expect(journal.append([one], relayed("c"))).toBe('{"type":"relayed","seq":3,"from":"member","body":"c"}');
  expect(numbers(journal.since(0, one))).toEqual([1, 3]);
  expect(numbers(journal.since(1, other))).toEqual([2]);
  expect(numbers(journal.since(3, one))).toEqual([]);
});

test("after 256 entries the oldest is lost, but only to those whom it was for", () => {
  const journal = new Journal(new Allowance());
  const [one, other] = [reader(), reader()];
  journal.append([one], relayed("first"));
  for (let i = 0; i < 256; i++) journal.append([other], relayed("later"));
  expect(journal.since(0, one)).toBeNull();
  expect(numbers(journal.since(1, one))).toEqual([]);
  expect(journal.since(0, other)).toHaveLength(256);
  journal.append([one], relayed("last"));
  expect(journal.since(0, other)).toBeNull();
});

test("large entries are lost sooner: a whole replay stays under the backlog of a slow socket", () => {
  const journal = new Journal(new Allowance());
  const one = reader();
  for (let i = 0; i < 16; i++) journal.append([one], relayed("x".repeat(64 * 1024)));
  expect(journal.since(0, one)).toBeNull();
  const held = journal.since(one.lost, one) ?? [];
  expect(held.length).toBeGreaterThan(8);
  expect(held.join("").length).toBeLessThanOrEqual(768 * 1024);
});

test("a number that was never given is not a place to resume from", () => {
  expect(new Journal(new Allowance()).since(1, reader())).toBeNull();
});

test("when all rooms together keep too much, the one that keeps most loses its oldest; others keep all", () => {
  const allowance = new Allowance(100_000);
  const [idle, busy, fresh] = [1, 2, 3].map(() => new Journal(allowance)) as [Kept, Kept, Kept];
  const [one, other, newcomer] = [reader(), reader(), reader()];
  const say = (journal: Kept, to: { lost: number }, times: number) => {
    for (let i = 0; i < times; i++) journal.append([to], relayed("x".repeat(5_000)));
  };
  say(idle, one, 3);
  say(busy, other, 20);
  expect([idle.since(0, one)?.length, busy.since(other.lost, other)?.length]).toEqual([3, 16]);
  say(fresh, newcomer, 5);
  expect([idle.since(0, one)?.length, fresh.since(0, newcomer)?.length]).toEqual([3, 5]);
  expect(busy.since(other.lost, other)).toHaveLength(11);
  expect(allowance.used).toBeLessThanOrEqual(100_000);
  for (const journal of [idle, busy, fresh]) journal.clear();
  expect(allowance.used).toBe(0);
});
