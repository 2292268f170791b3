import { concat, toBase64url, u32 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { beforeEach, expect, test } from "vitest";
import { type CommitStep, PeerCommits } from "./peer-commits.ts";

const MAX_COMMIT = 192 * 1024;

let sent: { to: string; body: Uint8Array }[];
let offered: CommitStep[];
let kept: CommitStep[];
let commits: PeerCommits;

beforeEach(() => {
  [sent, offered, kept] = [[], [], []];
  commits = new PeerCommits({
    send: (to, body) => sent.push({ to, body }),
    find: (at) => kept.find((step) => step.at === at),
    offered: (step) => offered.push(step),
  });
});

const node = () => toBase64url(random(32));
const bytes = (size: number) => new Uint8Array(size).map((_, at) => at % 251);
const step = (size: number): CommitStep => ({ at: node(), next: node(), body: concat(random(1), bytes(size - 1)) });

/** The messages by which a commit is given. */
function parts(given: CommitStep): Uint8Array[] {
  const before = sent.length;
  commits.give("someone", given);
  return sent.splice(before).map(({ body }) => body);
}

function hear(from: string, bodies: readonly Uint8Array[]): void {
  for (const body of bodies) commits.heard(from, body);
}

test.for([1, 15_999, 16_000, 16_001, 40_000, MAX_COMMIT])(
  "a commit of %i bytes comes whole, in parts that a channel takes",
  (size) => {
    const given = step(size);
    const bodies = parts(given);
    expect(bodies).toHaveLength(Math.ceil(size / 16_000));
    for (const body of bodies) expect(body.length).toBeLessThan(16 * 1024);
    hear("ann", bodies.slice(0, -1));
    expect(offered).toEqual([]);
    hear("ann", bodies.slice(-1));
    expect(offered).toEqual([given]);
  },
);

test("who asks is given the commit that ended the epoch, where it is kept, 16 times in a second", () => {
  const [known, unknown] = [step(100), step(100)];
  kept = [known];
  const asking = (wanted: CommitStep) => {
    commits.ask("ann", wanted.at);
    const { to, body } = sent.pop() ?? expect.unreachable();
    expect([to, body.length]).toEqual(["ann", 33]);
    return body;
  };
  const question = asking(known);
  hear("ben", [asking(unknown), concat(question, Uint8Array.of(0)), question.subarray(0, 32)]);
  expect(sent).toEqual([]);
  hear(
    "ben",
    Array.from({ length: 20 }, () => question),
  );
  hear("cleo", [question]);
  expect(sent.map(({ to }) => to)).toEqual([...new Array(16).fill("ben"), "cleo"]);
  commits.tick();
  hear("ben", [question]);
  expect(sent).toHaveLength(18);
  hear(
    "dan",
    sent.slice(0, 1).map(({ body }) => body),
  );
  expect(offered).toEqual([known]);
});

test("parts of two members' commits, or of two commits, make none together", () => {
  const [one, other] = [step(40_000), step(40_000)];
  const [ones, others] = [parts(one), parts({ ...one, body: other.body })];
  hear("ann", ones.slice(0, 1));
  hear("ben", others.slice(1));
  expect(offered).toEqual([]);
  hear("ann", ones.slice(1));
  expect(offered).toEqual([one]);
  for (const differs of [{ at: other.at }, { next: other.next }, { body: other.body.subarray(1) }]) {
    hear("cleo", ones.slice(0, 1));
    hear("cleo", parts({ ...one, ...differs }).slice(1));
  }
  expect(offered).toHaveLength(1);
});

test("a part that is lost, comes twice or out of order makes no commit, and the next beginning does", () => {
  const given = step(40_000);
  const [first, second, third] = parts(given) as [Uint8Array, Uint8Array, Uint8Array];
  hear("ann", [first, third]);
  hear("ben", [second, third]);
  hear("cleo", [third, second, first]);
  expect(offered).toEqual([]);
  hear("ann", [second, second, third]);
  expect(offered).toEqual([given]);
  hear("cleo", [first, second, third]);
  expect(offered).toHaveLength(2);
});

test("a commit that is longer than it says, or than a commit may be, is none", () => {
  const long = step(MAX_COMMIT + 1);
  hear("ann", parts(long));
  const { at, body } = step(100);
  const nodes = parts({ at, next: at, body })[0]?.subarray(1, 65) ?? expect.unreachable();
  const part = (length: number, offset: number, bytes: Uint8Array) =>
    concat(Uint8Array.of(1), nodes, u32(length), u32(offset), bytes);
  hear("ben", [part(99, 0, body), part(200, 0, body), part(200, 100, random(101)), part(0, 0, new Uint8Array())]);
  hear("cleo", [part(100, 0, new Uint8Array()), Uint8Array.of(2, ...part(100, 0, body).subarray(1)), new Uint8Array()]);
  expect(offered).toEqual([]);
  hear("ben", [part(200, 100, body)]);
  expect(offered.map((one) => one.body.length)).toEqual([200]);
});

test("what was on its way for an epoch that is over is forgotten", () => {
  const bodies = parts(step(40_000));
  hear("ann", bodies.slice(0, 1));
  commits.forget();
  hear("ann", bodies.slice(1));
  expect(offered).toEqual([]);
});
