import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { Allowance } from "../sockets/allowance.ts";
import { type Node, Nodes } from "./nodes.ts";

function setUp(allowance = new Allowance()) {
  const clock = new ManualClock();
  const nodes = new Nodes<string>(clock, allowance);
  /** Commits one after the other from the node `from`, which leads to n1, n2 and so on. */
  const chain = (from: Node<string>, count: number, body = (i: number) => `commit ${i}`) =>
    Array.from({ length: count }, (_, i) => i + 1).reduce(
      (node, i) => nodes.order(node, { next: `n${i}`, body: body(i), from: "session" }),
      from,
    );
  const found = (id = "n0") => nodes.found(id, { isFormer: false });
  const bodies = (id: string) => nodes.history(nodes.get(id) ?? expect.unreachable()).map(({ body }) => body);
  return { clock, nodes, chain, found, bodies, allowance };
}

test("a commit ends its node and makes a tip; a group's nodes are of its age", () => {
  const { nodes, found } = setUp();
  const [old, young] = [found("old"), found("young")];
  const next = nodes.order(old, { next: "next", body: "commit", from: "session" });
  expect(nodes.tips()).toEqual([next, young]);
  expect([next.group, next.group.age < young.group.age]).toEqual([old.group, true]);
});

test("16 ended nodes are kept, the oldest goes first, and its commits with it", () => {
  const { nodes, chain, found, allowance } = setUp();
  chain(found(), 18);
  expect(["n0", "n1", "n2", "n17", "n18"].map((id) => nodes.get(id) !== undefined)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  expect(allowance.used, "commits 3 to 18").toBe(7 * "commit 3".length + 9 * "commit 18".length);
});

test("what is restocked goes before what was ordered, nodes and bodies", () => {
  const { nodes, chain, found, bodies } = setUp();
  chain(found(), 2);
  for (let i = 0; i < 30; i++) nodes.restock(`garbage ${i}`, "next", "garbage");
  expect([bodies("n0"), bodies("n1")]).toEqual([["commit 1"], ["commit 2"]]);
  for (let i = 0; i < 10; i++) nodes.restock(`large ${i}`, "next", "x".repeat(256 * 1024));
  expect([bodies("n0"), bodies("n1")]).toEqual([["commit 1"], ["commit 2"]]);
});

test("a node that went is one where nobody may speak, though someone stands there", () => {
  const { nodes, chain, found } = setUp();
  const first = found();
  nodes.move("behind", null, first);
  chain(first, 17);
  expect([nodes.isFresh(first), [...nodes.neighbourhood(first)]]).toEqual([false, ["behind"]]);
});

test("a tip goes with its last session, but for one that a kept commit leads to, which goes with that", () => {
  const { nodes, chain, found } = setUp();
  const [lone, first] = [found("lone"), found()];
  nodes.move("session", null, lone);
  nodes.move("session", lone, null);
  expect(nodes.get("lone")).toBeUndefined();
  const rival = nodes.order(first, { next: "rival", body: "commit", from: "session" });
  nodes.move("session", null, rival);
  nodes.move("session", rival, null);
  expect(nodes.get("rival")).toBe(rival);
  chain(first, 17);
  expect(nodes.get("rival")).toBeUndefined();
});

test("neighbours are those within 5 s of commits, onward all who followed", () => {
  const { nodes, clock, found } = setUp();
  const first = found();
  const order = (node: Node<string>, next: string) => nodes.order(node, { next, body: "commit", from: next });
  const second = order(first, "second");
  clock.advance(milli(3_000));
  const [third, rival] = [order(second, "third"), order(first, "rival")];
  for (const [name, node] of Object.entries({ first, second, third, rival })) nodes.move(name, null, node);
  const heard = (node: Node<string>) => [...nodes.neighbourhood(node)].sort();
  expect(heard(third)).toEqual(["first", "rival", "second", "third"]);
  clock.advance(milli(2_000));
  expect([heard(third), heard(first)]).toEqual([
    ["second", "third"],
    ["first", "rival"],
  ]);
  clock.advance(milli(3_000));
  expect([heard(third), heard(first)]).toEqual([["third"], ["first"]]);
  expect([...nodes.onward(first)].sort()).toEqual(["first", "rival", "second", "third"]);
  nodes.restock("rival", "third", "no way there");
  expect([...nodes.onward(rival)], "what is restocked leads nowhere").toEqual(["rival"]);
});

test("a node may be spoken at for 5 s after its first successor, whatever follows", () => {
  const { nodes, clock, found } = setUp();
  const first = found();
  nodes.order(first, { next: "one", body: "commit", from: "a" });
  clock.advance(milli(4_999));
  expect(nodes.isFresh(first)).toBe(true);
  nodes.order(first, { next: "two", body: "commit", from: "b" });
  clock.advance(milli(1));
  expect(nodes.isFresh(first)).toBe(false);
});

test("restock: 4 bodies of one next, 16 edges a node, no node after itself, nothing twice", () => {
  const { nodes, found } = setUp();
  const added = (next: string, body: string) => nodes.restock("n0", next, body) !== null;
  found();
  expect([added("n0", "loop"), added("n1", "a"), added("n1", "a")]).toEqual([false, true, false]);
  expect(["b", "c", "d", "e"].map((body) => added("n1", body))).toEqual([true, true, true, false]);
  expect(Array.from({ length: 14 }, (_, i) => added(`other ${i}`, "a")).filter(Boolean)).toHaveLength(12);
});

test("16 edges a node: a commit takes the place of what was restocked last, never that of a commit", () => {
  const { nodes, found } = setUp();
  const first = found("first");
  const order = (i: number) => nodes.order(first, { next: `n${i}`, body: "commit", from: `session ${i}` });
  for (let i = 0; i < 10; i++) order(i);
  for (let i = 0; i < 10; i++) nodes.restock("first", `garbage ${i}`, "garbage");
  for (let i = 10; i < 16; i++) {
    expect(nodes.takes(first, `n${i}`)).toBe(true);
    order(i);
    expect(first.edges).toHaveLength(16);
  }
  expect(first.edges.map(({ next }) => next)).toEqual(Array.from({ length: 16 }, (_, i) => `n${i}`));
  expect(nodes.takes(first, "n16")).toBe(false);
});

test("history: an answer that a socket can take", () => {
  const { nodes, bodies, found } = setUp();
  found();
  for (let i = 0; i < 5; i++) nodes.restock("n0", `n${i + 1}`, "x".repeat(256 * 1024));
  expect(bodies("n0")).toHaveLength(3);
});

test("2 MiB of bodies a room: the oldest are forgotten first, their edges stay", () => {
  const { nodes, chain, found, bodies, allowance } = setUp();
  chain(found(), 10, () => "x".repeat(256 * 1024));
  expect([bodies("n1"), bodies("n2").length, allowance.used]).toEqual([[], 1, 2 * 1024 * 1024]);
  expect(nodes.get("n1")?.edges).toMatchObject([{ next: "n2", body: null }]);
});

test("when all rooms together keep too much, a group's commits stay if another keeps more", () => {
  const allowance = new Allowance(50_000);
  const other = setUp(allowance);
  other.chain(other.found(), 2, () => "x".repeat(25_000));
  const { chain, found, bodies, nodes } = setUp(allowance);
  chain(found(), 3, () => "c".repeat(6_000));
  expect(["n0", "n1", "n2"].map((id) => bodies(id).length)).toEqual([1, 1, 1]);
  expect([other.bodies("n0").length, other.bodies("n1").length]).toEqual([0, 1]);
  other.nodes.clear();
  nodes.clear();
  expect(allowance.used).toBe(0);
});

test("a commit that there is no room for is ordered all the same", () => {
  const { nodes, found, bodies, allowance } = setUp(new Allowance(0));
  const next = nodes.order(found(), { next: "n1", body: "c".repeat(20_000), from: "session" });
  expect([bodies("n0"), nodes.tips(), allowance.used]).toEqual([[], [next], 0]);
});
