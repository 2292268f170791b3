import { expect, test } from "vitest";
import { Allowance } from "./allowance.ts";
import { Commits } from "./commits.ts";

/** Ordered commits of epochs 0 to `count` - 1, numbered from 100. */
function ordered(count: number, body = (epoch: number) => `c${epoch}`): Commits {
  const commits = new Commits(new Allowance());
  for (let epoch = 0; epoch < count; epoch++) commits.order(epoch, 100 + epoch, body(epoch));
  return commits;
}

test("a commit moves the head on, and its epoch is taken", () => {
  const commits = new Commits(new Allowance());
  expect([commits.head, commits.started, commits.takes(0)]).toEqual([null, false, true]);
  commits.order(0, 1, "a");
  expect(commits.head).toEqual({ epoch: 1, authenticator: null });
  expect([commits.started, commits.takes(0), commits.takes(1)]).toEqual([true, false, true]);
});

test("a claim counts when it is higher", () => {
  const commits = new Commits(new Allowance());
  commits.claim({ epoch: 3, authenticator: "a" });
  commits.claim({ epoch: 3, authenticator: "b" });
  commits.claim({ epoch: 2, authenticator: "c" });
  expect(commits.head).toEqual({ epoch: 3, authenticator: "a" });
  commits.claim({ epoch: 4, authenticator: "d" });
  expect([commits.head?.epoch, commits.started, commits.takes(3)]).toEqual([4, false, false]);
});

test("only the commit that led to the head can be taken back, and the head is as before", () => {
  const commits = new Commits(new Allowance());
  commits.claim({ epoch: 3, authenticator: "a" });
  commits.order(3, 10, "x");
  commits.order(900, 11, "far ahead");
  expect([commits.endedBy(10), commits.endedBy(11), commits.endedBy(12)]).toEqual([null, 900, null]);
  commits.undo(900);
  expect(commits.head).toEqual({ epoch: 4, authenticator: null });
  expect([commits.from(900), commits.endedBy(10)]).toEqual([[], 3]);
  commits.undo(3);
  expect(commits.head).toEqual({ epoch: 3, authenticator: "a" });
});

test("history: the last 16, consecutive from the epoch asked for", () => {
  const commits = ordered(20);
  expect(commits.from(3)).toEqual([]);
  expect(commits.from(4)).toHaveLength(16);
  expect(commits.from(18)).toEqual([
    { epoch: 18, body: "c18" },
    { epoch: 19, body: "c19" },
  ]);
  commits.order(25, 200, "after a gap");
  expect(commits.from(18).map(({ epoch }) => epoch)).toEqual([18, 19]);
});

test("history: 2 MiB a room, and an answer that a socket can take", () => {
  const commits = ordered(16, () => "x".repeat(256 * 1024));
  expect(commits.from(7)).toEqual([]);
  expect(commits.from(8)).toHaveLength(3);
  expect(commits.from(11)).toHaveLength(3);
  expect(commits.from(14)).toHaveLength(2);
});

test("a commit supplied again fills a gap below the head, and replaces nothing", () => {
  const commits = new Commits(new Allowance());
  commits.restock(0, "before anything is known");
  commits.claim({ epoch: 5, authenticator: "a" });
  commits.restock(3, "c3");
  commits.restock(3, "another");
  commits.restock(4, "c4");
  commits.restock(5, "not over yet");
  expect(commits.from(0)).toEqual([]);
  expect(commits.from(3)).toEqual([
    { epoch: 3, body: "c3" },
    { epoch: 4, body: "c4" },
  ]);
  expect([commits.started, commits.endedBy(0)]).toEqual([false, null]);
});

test("when all rooms together keep too much, a group's last commits stay if they are short", () => {
  const allowance = new Allowance(50_000);
  const [other, commits] = [new Commits(allowance), new Commits(allowance)];
  other.order(0, 1, "x".repeat(50_000));
  for (let epoch = 0; epoch < 5; epoch++) commits.order(epoch, epoch, "c".repeat(6_000));
  expect(commits.from(3).map(({ epoch }) => epoch)).toEqual([3, 4]);
  expect(commits.from(2)).toEqual([]);
  other.clear();
  expect(allowance.used).toBe(12_000);
});

test("a commit that there is no room for is ordered all the same, and can be taken back", () => {
  const allowance = new Allowance(0);
  const commits = new Commits(allowance);
  commits.order(0, 7, "c".repeat(20_000));
  expect([commits.from(0), commits.takes(0), allowance.used]).toEqual([[], false, 0]);
  expect(commits.endedBy(7)).toBe(0);
  commits.undo(0);
  expect([commits.takes(0), allowance.used]).toEqual([true, 0]);
});
