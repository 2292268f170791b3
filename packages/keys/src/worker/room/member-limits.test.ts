import { expect, test } from "vitest";
import { ALL } from "../plaintext.ts";
import { data, OWN, Pair } from "./pair.cases.ts";

test("a message of an epoch to come waits for it, 256 of them; after a second the server is asked", {
  timeout: 20_000,
}, async () => {
  const pair = await Pair.meet();
  const commit = await pair.commit();
  for (let i = 0; i < 256; i += 1) await pair.relay(ALL, data(i, 2, `${i}`, i === 0 ? 1 : 2));
  expect([pair.received, pair.notes()]).toEqual([[], []]);
  await pair.relay(ALL, data(256, 2, "256", 2));
  expect(pair.notes()).toEqual(["bad-message: too many of a future epoch"]);
  await pair.advance(999);
  const asked = pair.sent("enter").length;
  await pair.advance(1);
  expect(pair.sent("enter")).toHaveLength(asked + 1);
  await pair.follow(commit);
  expect(pair.place).toBe(pair.peerPlace);
  // The first to all since this member came is the one after which no earlier epoch comes.
  expect(pair.received).toHaveLength(0);
  await pair.relay(ALL, data(0, 2, "again", 0));
  expect(pair.received).toEqual(["again"]);
  // There is room for others to wait.
  await pair.commit();
  await pair.relay(ALL, data(1, 3, "early", 2));
  expect(pair.notes()).toHaveLength(1);
});

test("a new session of the server's is answered with the commits that this member took", {
  timeout: 20_000,
}, async () => {
  const pair = await Pair.meet();
  const commits = [];
  for (let i = 0; i < 17; i += 1) {
    commits.push(await pair.commit());
    await pair.order(commits[i]!);
  }
  for (const resumed of [true, false]) {
    expect(pair.sent("restock")).toEqual([]);
    await pair.hear({ type: "joined", member: OWN, resumed });
    await pair.hear({ type: "entered", at: pair.node, is: "new", knockKeys: [] });
  }
  const taken = commits.slice(1).map(({ token, next, body }) => ({ type: "restock", token, next, body }));
  expect(pair.sent("restock")).toEqual(taken);
});
