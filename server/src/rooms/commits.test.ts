import type { Down } from "@sealcast/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { token } from "./door.cases.ts";
import { Client, group, node, setUp } from "./room.cases.ts";

describe("commits", () => {
  test("are ordered at a node for those who stand there, and lead to the next", () => {
    const { join, alice, bob } = group(2);
    const elsewhere = join().enter("elsewhere");
    elsewhere.fresh();
    alice.commit("f");
    expect(alice.last).toMatchObject({ type: "ordered", from: alice.member, at: node("e"), next: node("f") });
    expect(bob.last).toEqual(alice.last);
    expect(elsewhere.types()).toEqual([]);
  });

  test("of two rivals the first is ordered, the other refused with the successors", () => {
    const { alice, bob } = group(2);
    bob.commit("f");
    alice.commit("g");
    expect(alice.received.slice(1).map(({ type }) => type)).toEqual(["ordered", "refused"]);
    expect(alice.last).toEqual({ type: "refused", at: node("e"), successors: [node("f")] });
    expect(bob.types()).toEqual(["joined", "ordered"]);
  });

  test("a rival is ordered that names all successors, and none that leaves one out", () => {
    const { alice, bob, others } = group(4);
    alice.commit("f");
    bob.commit("g", { despite: [node("f")] });
    others[0]?.commit("h", { despite: [node("g")] });
    expect(others[0]?.last).toMatchObject({ type: "refused", successors: [node("f"), node("g")] });
    others[0]?.commit("h", { despite: [node("g"), node("f"), node("never")] });
    expect(others[1]?.all("ordered").map(({ next }) => next)).toEqual(["f", "g", "h"].map(node));
  });

  test("one a session and node: who ordered garbage cannot order more of it", () => {
    const { alice, bob } = group(2);
    alice.commit("f");
    alice.commit("g", { despite: [node("f")] });
    expect(alice.last).toMatchObject({ type: "refused" });
    bob.commit("g", { despite: [node("f")] });
    bob.enter("g");
    bob.commit("h");
    expect(bob.last).toMatchObject({ type: "ordered", at: node("g") });
  });

  test("the same commit again is ordered once more, to its sender alone", () => {
    const { alice, bob } = group(2);
    alice.commit("f", { newcomers: [] });
    const heard = bob.received.length;
    alice.commit("f");
    expect(alice.all("ordered").map(({ body }) => body)).toEqual(["commit", "commit"]);
    expect(bob.received).toHaveLength(heard);
    alice.commit("f", { body: "another" });
    expect(alice.last).toMatchObject({ type: "refused" });
  });

  test("a next that is a node or an edge's name already is refused", () => {
    const { join, alice, bob } = group(2);
    join().enter("other");
    for (const taken of ["other", "e"]) {
      alice.commit(taken);
      expect(alice.last).toMatchObject({ type: "refused", successors: [] });
    }
    bob.restock("unknown", "promised");
    alice.commit("promised");
    expect(alice.last).toMatchObject({ type: "refused" });
  });

  test("from elsewhere than where one stands, or without proof, it is refused without a word of what is there", () => {
    const { join, alice, bob } = group(2);
    alice.commit("f");
    bob.enter("other");
    bob.commit("g", { at: node("e"), despite: [node("f")] });
    expect(bob.last).toEqual({ type: "refused", at: node("e"), successors: [] });
    const outsider = join();
    outsider.commit("g", { at: node("f") });
    expect(outsider.last).toEqual({ type: "refused", at: node("f"), successors: [] });
  });

  test("those at both ends hear each other for 5 s, and those who stay behind nothing after", () => {
    const { wait, alice, bob } = group(2);
    alice.commit("f");
    alice.enter("f");
    for (const one of [alice, bob]) one.fresh();
    alice.relay();
    bob.relay();
    bob.say({ type: "beat", body: "b" });
    expect(alice.fresh()).toEqual(["relayed", "relayed", "heartbeat-relayed"]);
    expect(bob.fresh()).toEqual(["relayed", "relayed"]);
    wait(5_000);
    alice.relay();
    bob.relay();
    bob.say({ type: "beat", body: "b" });
    bob.commit("g", { despite: [node("f")] });
    expect(alice.fresh()).toEqual(["relayed"]);
    expect(bob.received).toEqual([{ type: "refused", at: node("e"), successors: [node("f")] }]);
    bob.enter("f").relay();
    expect(alice.fresh()).toEqual(["relayed"]);
  });

  test("a newcomer is sent what the next node hears and may not speak there until it shows the token", () => {
    const { join, wait, alice, bob } = group(2);
    const newcomer = join();
    alice.commit("f", { newcomers: [newcomer] });
    expect(newcomer.types()).toEqual(["joined", "welcomed"]);
    bob.relay();
    newcomer.relay("too early");
    newcomer.commit("g", { at: node("f") });
    expect(newcomer.types().slice(2)).toEqual(["relayed", "refused"]);
    newcomer.enter("f").relay("thanks");
    expect(alice.last).toMatchObject({ type: "relayed", from: newcomer.member, body: "thanks" });
    wait(60_000);
    newcomer.relay("still-in");
    expect(newcomer.last).toMatchObject({ type: "relayed", body: "still-in" });
  });

  test("a newcomer that shows nothing for 10 s stands nowhere", () => {
    const { join, wait, alice } = group(1);
    const newcomer = join();
    alice.commit("f", { newcomers: [newcomer] });
    alice.enter("f");
    wait(9_999);
    alice.relay();
    wait(1);
    alice.relay();
    expect(newcomer.all("relayed")).toHaveLength(1);
    expect(newcomer.enter("f").last).toMatchObject({ type: "entered", is: "tip" });
  });

  test("a newcomer that is invited gets the commits that follow", () => {
    const { join, alice } = group(1);
    const newcomer = join();
    alice.commit("f", { newcomers: [newcomer] });
    alice.enter("f").commit("g");
    expect(newcomer.types()).toEqual(["joined", "welcomed", "ordered"]);
  });

  test("a welcome to a member that joins the group again does not move it; to someone unknown, or twice, does no harm", () => {
    const { alice, bob } = group(2);
    const to = [bob.member, "x".repeat(22), bob.member];
    alice.commit("f", { welcome: { to, body: "welcome" } });
    expect(bob.types()).toEqual(["joined", "ordered", "welcomed"]);
    bob.relay();
    expect(bob.types().at(-1)).toBe("relayed");
  });
});

describe("history", () => {
  test("is what leads on from a node, in its order, for who knows its token", () => {
    const { join, alice, bob } = group(2);
    alice.commit("f", { body: "one" });
    bob.commit("g", { body: "two", despite: [node("f")] });
    const behind = join();
    behind.say({ type: "fetch", token: token("e") });
    const edges = [
      { next: node("f"), body: "one" },
      { next: node("g"), body: "two" },
    ];
    expect(behind.last).toEqual({ type: "history", at: node("e"), edges });
    behind.say({ type: "fetch", token: token("unknown") });
    expect(behind.last).toEqual({ type: "history", at: node("unknown"), edges: [] });
  });

  test("a server that lost it is supplied again, and those behind are sent it", () => {
    const { join } = setUp();
    const [behind, ahead] = [join().enter("e"), join().enter("f")];
    behind.fresh();
    ahead.restock("e", "f");
    expect(behind.received).toMatchObject([{ type: "ordered", at: node("e"), next: node("f"), body: "commit" }]);
    ahead.restock("e", "f");
    expect(behind.received).toHaveLength(1);
    expect(join().enter("e").all("entered")).toMatchObject([{ is: "ended" }]);
  });

  test("what is restocked at an unknown node makes it an ended one", () => {
    const { join, alice } = group(1);
    alice.restock("before", "e");
    const behind = join().enter("before");
    expect(behind.last).toMatchObject({ type: "entered", is: "ended" });
    behind.relay();
    expect(behind.all("relayed")).toEqual([]);
  });

  test("garbage that is restocked at the tip takes nobody's say: it is named, and passed over", () => {
    const { join, alice, bob } = group(2);
    bob.restock("e", "garbage", "garbage");
    alice.commit("f");
    expect(alice.last).toEqual({ type: "refused", at: node("e"), successors: [node("garbage")] });
    alice.commit("f", { despite: [node("garbage")] });
    expect(alice.last).toMatchObject({ type: "ordered", next: node("f") });
    for (let i = 0; i < 20; i++) bob.restock("e", `more ${i}`, "garbage");
    join().say({ type: "fetch", token: token("e") });
    alice.say({ type: "fetch", token: token("e") });
    expect(alice.all("history")[0]?.edges).toHaveLength(16);
    expect(alice.all("history")[0]?.edges[1]).toEqual({ next: node("f"), body: "commit" });
  });

  test("a node full of garbage takes a commit all the same", () => {
    const { alice, bob } = group(2);
    for (let i = 0; i < 20; i++) bob.restock("e", `garbage ${i}`);
    alice.commit("f");
    const [refused] = alice.all("refused");
    expect(refused?.successors).toHaveLength(16);
    alice.commit("f", { despite: refused?.successors ?? [] });
    expect(alice.last).toMatchObject({ type: "ordered", next: node("f") });
    alice.commit("f");
    expect(alice.last).toMatchObject({ type: "ordered", next: node("f") });
  });

  test("a node full of commits that are garbage takes none; who goes on without its order speaks there, and can be knocked at", () => {
    const { members, alice, bob, join, wait } = group(18);
    const despite: string[] = [];
    for (const [i, member] of members.slice(2).entries()) {
      member.commit(`garbage ${i}`, { despite: [...despite] });
      despite.push(node(`garbage ${i}`));
    }
    alice.commit("f", { despite });
    expect(alice.last).toEqual({ type: "refused", at: node("e"), successors: despite });
    wait(5_000);
    const carol = join();
    carol.knock();
    alice.enter("f");
    bob.enter("f");
    for (const client of [alice, bob, carol]) client.received.length = 0;
    alice.relay("hello");
    expect(bob.types()).toEqual(["relayed"]);
    expect(carol.open.map(({ at }) => at)).toEqual([node("f")]);
    for (const { at } of carol.open) carol.say({ type: "knock", at, body: "package" });
    expect(bob.types()).toEqual(["relayed", "knocked"]);
    alice.commit("g", { newcomers: [carol] });
    expect([bob.last, carol.last]).toMatchObject([{ type: "ordered", next: node("g") }, { type: "welcomed" }]);
  });
});

describe("any course of events", () => {
  const actions = ["begin", "enter", "drop", "resume", "leave", "relay", "knock", "commit", "restock", "wait"] as const;
  const steps = fc.array(fc.tuple(fc.constantFrom(...actions), fc.nat(4), fc.nat(4)), {
    minLength: 20,
    maxLength: 80,
  });
  type Course = [(typeof actions)[number], number, number][];

  /** Five clients do what the steps say, among ten epochs; those who resume lose nothing. */
  function play(course: Course): Client[] {
    const { rooms, wait } = setUp();
    const clients = Array.from({ length: 5 }, () => new Client().join(rooms));
    const all = new Set(clients);
    for (const [action, who, whom] of course) {
      const [client, other] = [clients[who], clients[whom]];
      if (!client || !other) return expect.unreachable();
      if (action === "begin") clients[who] = new Client().join(rooms);
      if (action === "enter") client.enter(`epoch ${whom}`);
      if (action === "drop") client.drop();
      if (action === "resume") client.join(rooms, { resume: client.place });
      if (action === "leave") client.leave();
      if (action === "relay") client.relay(`from${who}`);
      if (action === "knock") client.knock();
      if (action === "commit") client.commit(`epoch ${whom}`, { newcomers: [other] });
      if (action === "restock") client.restock(`epoch ${who}`, `epoch ${whom}`);
      if (action === "wait") wait(who * 5_000);
      all.add(clients[who] ?? client);
    }
    return [...all];
  }

  test("one number is one message, and each session's numbers rise", () => {
    fc.assert(
      fc.property(steps, (course) => {
        const order = new Map<number, Down>();
        for (const { received } of play(course)) {
          let last = -1;
          for (const message of received) {
            if (message.type === "joined") last = message.seq;
            else if ("seq" in message) {
              expect(message.seq).toBeGreaterThan(last);
              last = message.seq;
              expect(order.get(last) ?? message).toEqual(message);
              order.set(last, message);
            }
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test("a commit is ordered under one name for one node", () => {
    fc.assert(
      fc.property(
        steps.map((course) => course.filter(([action]) => action !== "restock")),
        (course) => {
          const from = new Map<string, string>();
          for (const { at, next } of play(course).flatMap((client) => client.all("ordered"))) {
            expect(from.get(next) ?? at).toBe(at);
            from.set(next, at);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
