import { describe, expect, test } from "vitest";
import { newLink } from "../../rooms/door.cases.ts";
import { memoryCluster, type Node, Person, signature } from "./cluster.cases.ts";
import { GRACE, LEASE, OPEN_LATER, TO_OPEN } from "./store.ts";

/** A call whose room is at the first of three nodes: two people there, and one at each of the others. */
async function call() {
  const cluster = await memoryCluster(3);
  const { door } = newLink();
  const [home = expect.unreachable(), away = home, third = home] = cluster.nodes;
  const join = async (node = home, resume: { token: string; seq: number } | null = null) => {
    const person = Person.at(node.bus, { type: "join", door, resume });
    await cluster.settle();
    return person;
  };
  const [ada, ben, cem, dan] = [await join(), await join(), await join(away), await join(third)];
  const people = [ada, ben, cem, dan];
  for (const person of people) person.enter("e");
  await cluster.settle();
  return { ...cluster, door, home, away, third, join, people, ada, ben, cem, dan };
}

describe("a node that dies", () => {
  test("has its room's people come again within 3 s, and the next who comes gets the room", async () => {
    const { memory, home, join, away, cem, dan, wait, settle } = await call();
    const [, , ...others] = [memory.nodes];
    expect(others).toEqual([]);
    home.stop();
    for (const node of memory.nodes.slice(0, 1)) memory.cut(node);
    await wait(600);
    expect([cem.ended, dan.ended]).toEqual(["restarted", "restarted"]);
    const [first, second] = [await join(away), await join(away)];
    expect(first.types, "the lease holds for a while yet").toEqual([]);
    await wait(LEASE + 500);
    for (const one of [first, second]) {
      expect(one.one("joined").resumed).toBe(false);
      one.enter("e");
    }
    await settle();
    first.relay("on");
    await settle();
    expect(second.heard).toEqual(["on"]);
  });

  test("is found though nothing is said and its connections stand, as where a machine loses its network", async () => {
    const { home, cem, dan, wait } = await call();
    home.stop();
    await wait(3_000);
    expect([cem.ended, dan.ended]).toEqual(["restarted", "restarted"]);
  });

  test("leaves sockets of its own behind, whose sessions are away and can be resumed elsewhere", async () => {
    const { away, third, join, ada, cem, wait, settle } = await call();
    const { place } = cem;
    away.stop();
    await wait(3_000);
    expect(ada.one("presence")).toMatchObject({ is: "away", member: cem.one("joined").member });
    ada.relay("meanwhile");
    await settle();
    const again = await join(third, place);
    expect(again.one("joined").resumed).toBe(true);
    expect(again.heard).toEqual(["meanwhile"]);
  });
});

describe("a node that closes", () => {
  test("has everybody come again, and others have its rooms at once", async () => {
    const { home, away, join, people, settle } = await call();
    await home.bus.close();
    await settle();
    expect(people.map(({ ended }) => ended)).toEqual(Array(4).fill("restarted"));
    expect((await join(away)).types).toEqual(["joined", "alone"]);
  });
});

describe("a store that is away for 30 s", () => {
  for (const how of ["is restarted, and empty", "is cut off", "is stopped"] as const)
    test(`and ${how}: rooms go on for who is at their node, and all others come back to them`, async () => {
      const { memory, home, away, join, ada, ben, cem, dan, wait, settle } = await call();
      if (how === "is stopped") memory.hang();
      else memory.goAway({ keeps: how === "is cut off" });
      for (let second = 0; second < 30; second++) {
        await wait(1_000);
        ada.relay(`${second}`);
      }
      await settle();
      expect(ben.heard).toHaveLength(30);
      expect([ada.ended, ben.ended, cem.ended, dan.ended]).toEqual([null, null, "restarted", "restarted"]);
      expect(home.bus.state).toBe("degraded");
      const early = await join(away);
      await wait(1_000);
      if (how === "is stopped") memory.goOn();
      else memory.comeBack();
      await wait(GRACE + 2_000);
      expect([home.bus.state, early.one("joined").resumed]).toEqual(["ok", false]);
      early.enter("e");
      await settle();
      ada.relay("together");
      await settle();
      expect([ada.ended, early.heard]).toEqual([null, ["together"]]);
      expect(home.roomsLost).toBe(0);
    });

  test("leaves a room to its node, though that is the last to reach the store again", async () => {
    const { memory, home, away, join, ada, wait, settle } = await call();
    memory.goAway({ keeps: true });
    await wait(10_000);
    home.stop();
    memory.comeBack();
    const early = await join(away);
    await wait(TO_OPEN + OPEN_LATER);
    expect(early.types).toEqual([]);
    home.goOn();
    await settle();
    await wait(1_000);
    early.enter("e");
    await settle();
    ada.relay("together");
    await settle();
    expect([home.roomsLost, ada.ended, early.heard]).toEqual([0, null, ["together"]]);
  });

  test("keeps who comes meanwhile for 6 s, and has them come again", async () => {
    const { memory, away, join, wait } = await call();
    memory.goAway();
    await wait(3_000);
    const early = await join(away);
    await wait(5_000);
    expect(early.ended).toBe(null);
    await wait(1_500);
    expect([early.ended, early.types]).toEqual(["restarted", []]);
  });

  test("lets a removal's door be made meanwhile, which is the room's when it is back", async () => {
    const { memory, buses, ada, ben, wait, settle } = await call();
    const next = newLink().door;
    memory.goAway();
    await wait(3_000);
    ada.commit("without", { door: { door: next, signature } });
    await settle();
    expect(ben.types).toContain("ordered");
    memory.comeBack();
    await wait(GRACE + 2_000);
    const newcomer = Person.at(buses[2] ?? expect.unreachable(), { type: "join", door: next, resume: null });
    await settle();
    for (const one of [ada, ben]) one.enter("without");
    newcomer.say({ type: "request-keys", all: true });
    await settle();
    expect(newcomer.types).toContain("knock-keys");
  });

  for (const how of ["is cut off", "is stopped"] as const)
    test.each([0, 200, 800, 1_600])(`and ${how}: a removal %i ms after that has its door, too`, async (after) => {
      const { memory, ada, ben, third, wait, settle } = await call();
      const next = newLink().door;
      if (how === "is stopped") memory.hang();
      else memory.goAway({ keeps: true });
      await wait(after);
      ada.commit("without", { door: { door: next, signature } });
      await wait(3_000);
      expect(ben.types).toContain("ordered");
      for (const one of [ada, ben]) one.enter("without");
      await wait(30_000);
      memory.comeBack();
      memory.goOn();
      await wait(GRACE + 2_000);
      const newcomer = Person.at(third.bus, { type: "join", door: next, resume: null });
      await settle();
      newcomer.say({ type: "knock", at: newcomer.one("knock-keys").tips[0]?.at ?? "", body: "package" });
      await settle();
      expect(ada.one("knocked").from).toBe(newcomer.one("joined").member);
    });
});

describe("a node that is cut off alone", () => {
  test("and removes a member meanwhile: who came by the former door elsewhere comes to its room when it is back", async () => {
    const { memory, home, away, join, ada, ben, wait, settle } = await call();
    home.cutOff();
    memory.cut(memory.nodes[0] ?? expect.unreachable());
    await wait(3_000);
    ada.commit("without", { door: { door: newLink().door, signature } });
    await settle();
    for (const one of [ada, ben]) one.enter("without");
    const behind = await join(away);
    behind.enter("e");
    await settle();
    expect(behind.types).toContain("entered");
    home.rejoin();
    await wait(2_000);
    expect([behind.ended, ada.ended, ben.ended]).toEqual(["restarted", null, null]);
    const again = await join(away);
    await wait(500);
    again.enter("without");
    await settle();
    ada.relay("together");
    await settle();
    expect(again.heard).toEqual(["together"]);
  });
});

describe("a node that did not run", () => {
  test("orders nothing once its lease is over, and its people come again where the room is now", async () => {
    const { home, away, join, ada, ben, wait, settle } = await call();
    home.stop();
    await wait(LEASE + 500);
    const other = await join(away);
    await wait(1_000);
    other.enter("e");
    await settle();
    expect(other.types).toContain("entered");
    const before = ben.received.length;
    // What came first when it runs again: messages, and timers that were due.
    ada.relay("late");
    ada.commit("late");
    home.goOn();
    ada.relay("later");
    await settle();
    await wait(2_000);
    expect(ben.received.length, "no order of two").toBe(before);
    expect([ada.ended, ben.ended, home.roomsLost]).toEqual(["restarted", "restarted", 1]);
    expect(home.bus.state).toBe("ok");
    const again = await join(home);
    again.enter("e");
    await settle();
    other.relay("one-order");
    await settle();
    expect(again.heard).toEqual(["one-order"]);
  });

  test("goes on where nobody took what it had, with what was said meanwhile", async () => {
    const { home, ada, ben, cem, wait, settle } = await call();
    home.stop();
    await wait(LEASE + 3_000);
    ada.relay("late");
    home.goOn();
    await settle();
    await wait(1_000);
    expect([ben.heard, ada.ended, cem.ended]).toEqual([["late"], null, "restarted"]);
  });

  test("for less than its lease changes nothing", async () => {
    const { home, ada, cem, people, wait, settle } = await call();
    await wait(400);
    home.stop();
    await wait(1_200);
    home.goOn();
    await settle();
    ada.relay("on");
    await settle();
    await wait(3_000);
    expect([cem.heard, people.map(({ ended }) => ended)]).toEqual([["on"], Array(4).fill(null)]);
  });
});

describe("who can reach the store", () => {
  test("reads no door, no token and nothing that is said", async () => {
    const { memory, door, ada, cem, settle } = await call();
    cem.relay("said-by-cem");
    ada.relay("said-by-ada");
    await settle();
    const seen = memory.seen.join("\n");
    for (const secret of ["said-by", door, cem.one("joined").token, cem.one("joined").member, "relay"])
      expect(seen).not.toContain(secret);
  });

  test("can say nothing to a node: what it repeats, changes or makes up is not heard", async () => {
    const { memory, ada, cem, dan, settle, wait } = await call();
    const sent: [string, Buffer][] = [];
    memory.onPublish = (to, bytes) => {
      sent.push([to, Buffer.from(bytes)]);
      return [bytes];
    };
    cem.relay("once");
    await settle();
    for (const [to, bytes] of [...sent]) {
      const changed = Buffer.from(bytes);
      changed[changed.length - 1] = 1 ^ (changed.at(-1) ?? 0);
      const later = Buffer.from(bytes);
      later.writeUInt8(1, 25);
      for (const other of memory.nodes) memory.inject(other, bytes);
      for (const forged of [bytes, changed, later, bytes.subarray(0, 40), Buffer.alloc(0), Buffer.alloc(100, 65)])
        memory.inject(to, forged);
    }
    await settle();
    await wait(1_000);
    expect([ada, cem, dan].map(({ heard, ended }) => [heard, ended])).toEqual(Array(3).fill([["once"], null]));
  });

  test("who withholds a message has those come again who missed it: no order has a gap", async () => {
    const { memory, ada, ben, cem, join, away, settle, wait } = await call();
    memory.onPublish = () => [];
    ada.relay("lost");
    await settle();
    memory.onPublish = (_to, bytes) => [bytes];
    ada.relay("next");
    await settle();
    expect([cem.heard, cem.ended]).toEqual([[], "restarted"]);
    await wait(2_000);
    const again = await join(away, cem.place);
    expect(again.heard).toEqual(["lost", "next"]);
    expect(ben.heard).toEqual(["lost", "next"]);
  });
});

describe("a hostile client", () => {
  test("that speaks on while it is not known where its room is has to come again", async () => {
    const { memory, away, join, wait } = await call();
    memory.hang();
    const flooder = await join(away);
    for (let i = 0; i < 100; i++) flooder.relay("x".repeat(1_000));
    expect(flooder.ended).toBe("restarted");
    await wait(100);
  });

  test("that floods a node which may not order keeps a bounded part of it waiting", async () => {
    const { home, ada, ben, wait } = await call();
    home.stop();
    await wait(LEASE + 500);
    for (let i = 0; i < 100; i++) ada.relay("x".repeat(60_000));
    expect([ada.ended, ben.ended]).toEqual(["restarted", null]);
  });

  test.each([
    [1, 50, 6],
    [30, 2, 20],
  ])("of %i sockets that ask for much at once, and have no time to take it, ends alone", async (size, asks, most) => {
    const { memory, home, away, join, ada, dan, settle } = await call();
    for (const body of ["a", "b", "c"]) ada.restock("before", "e", body.repeat(262_000));
    const hostile: Person[] = [];
    for (let i = 0; i < size; i++) hostile.push(await join(away));
    const { nodes } = memory;
    let passed = 0;
    memory.onPublish = (_to, bytes) => {
      passed += bytes.length;
      return [bytes];
    };
    for (const one of hostile) for (let i = 0; i < asks; i++) one.fetch("before");
    await settle();
    ada.relay("on");
    await settle();
    expect([dan.heard, dan.ended, home.bus.state, memory.nodes]).toEqual([["on"], null, "ok", nodes]);
    expect(hostile.filter(({ ended }) => ended === "restarted").length).toBeGreaterThan(0);
    expect(passed).toBeLessThan(most * 1024 * 1024);
  });

  test("rests at its own node where its room had more than it may", async () => {
    const { ben, cem, dan, clock, settle } = await call();
    for (const one of [ben, dan]) one.say({ type: "leave" });
    for (let i = 0; i < 300; i++) {
      cem.relay("x".repeat(60_000));
      if (i % 20 === 19) await settle();
    }
    expect(cem.overdrawnFor(clock.now())).toBeGreaterThan(500);
  });

  test("has its own address charged with those whom it speaks to, wherever its room is", async () => {
    const { ada, cem, settle } = await call();
    const before = [ada.charged, cem.charged];
    for (let i = 0; i < 40; i++) for (const one of [ada, cem]) one.relay("A");
    await settle();
    const [here = 0, there = 0] = [ada, cem].map(({ charged }, i) => charged - (before[i] ?? 0));
    expect(here).toBe(40 * 4 * 64);
    expect(Math.abs(there - here)).toBeLessThan(4_096);
  });

  test.each([
    ["has the room's people, too, and Redis comes back empty", true],
    ["has none of the room's people, and Redis comes back as it was", false],
  ])("gets nobody's room by a removal while Redis is away, at a node that %s", async (_, knows) => {
    const { memory, nodes, settle, wait } = await memoryCluster(2);
    const [{ door }, own] = [newLink(), newLink().door];
    const [home = expect.unreachable(), third = home] = nodes;
    const at = async ({ bus }: Node, by: string) => {
      const person = Person.at(bus, { type: "join", door: by, resume: null });
      await settle();
      return person;
    };
    const ada = await at(home, door);
    ada.enter("e");
    if (knows) (await at(third, door)).drop();
    const mallory = await at(third, own);
    mallory.enter("mine");
    memory.goAway({ keeps: !knows });
    await wait(3_000);
    mallory.commit("taken", { door: { door, signature } });
    await wait(1_000);
    expect(mallory.types).toContain("ordered");
    home.stop();
    memory.comeBack();
    await wait(OPEN_LATER + 500);
    home.goOn();
    await wait(GRACE + 1_000);
    const next = await at(third, door);
    await wait(500);
    next.enter("e");
    await settle();
    ada.relay("home");
    await settle();
    expect([next.heard, ada.ended, mallory.heard]).toEqual([["home"], null, []]);
  });

  test("gets nobody's room by listening at its door, wherever it is", async () => {
    const { door, buses, ada, cem, settle, wait } = await call();
    const own = newLink().door;
    const mallory = Person.at(buses[2] ?? expect.unreachable(), { type: "join", door: own, resume: null });
    await settle();
    mallory.enter("mine");
    mallory.say({ type: "listen", door, signature });
    mallory.commit("taken", { door: { door, signature } });
    await settle();
    await wait(12_000);
    const next = Person.at(buses[1] ?? expect.unreachable(), { type: "join", door, resume: null });
    await settle();
    next.enter("e");
    await settle();
    ada.relay("home");
    await settle();
    expect([next.heard, cem.heard, mallory.heard, ada.ended]).toEqual([["home"], ["home"], [], null]);
  });
});

test("a door is given up some seconds after nothing leads there, and any node may have it", async () => {
  const { people, away, home, join, settle, wait } = await call();
  for (const person of people) person.say({ type: "leave" });
  await settle();
  await wait(60_000 + 12_000);
  const again = await join(away);
  expect(again.types).toEqual(["joined", "alone"]);
  expect(away.bus.dealings).toEqual({ forwarded: 0, guests: 0, isConnected: true });
  expect(home.bus.rooms.size.calls).toBe(0);
});
