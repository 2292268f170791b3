import { setImmediate as turn } from "node:timers/promises";
import { ManualClock, milli } from "@sealcast/time";
import fc from "fast-check";
import { expect, test } from "vitest";
import { randomId } from "../../random.ts";
import { Process } from "./cluster.cases.ts";
import { Lease } from "./lease.ts";
import { MemoryStore } from "./memory-store.cases.ts";
import { GRACE, type Store, type StoreSession } from "./store.ts";

const NAMES = ["one", "two"];

interface Failing {
  /** Of the claims of nodes that come back: each is done, and the answers to these are lost. */
  readonly at: readonly number[];
  claims: number;
  left: number;
}

const failingStore = (store: Store, failing: Failing): Store => ({
  open: async (node, events) => {
    const session = await store.open(node, events);
    return {
      ...session,
      claim: async (names, former) => {
        const owners = await session.claim(names, former);
        if (former.length > 0 && failing.at.includes(++failing.claims)) throw new Error("the answer is lost");
        return owners;
      },
      leave: async () => {
        failing.left++;
        throw new Error("the connection is lost");
      },
    };
  },
});

/** Three nodes that want to have whatever name they claimed, and nothing else. */
async function nodes(over = (store: Store) => store) {
  const clock = new ManualClock();
  const memory = new MemoryStore(clock);
  const all = Array.from({ length: 3 }, () => {
    const running = new Process(clock);
    const wanted = new Set<string>();
    const found: string[] = [];
    const lease = new Lease({
      store: running.reaching(over(memory.store)),
      clock: running,
      randomId,
      received: () => {},
      gone: () => {},
      entered: () => {},
      ended: () => {},
      lost: (name) => void wanted.delete(name),
      elsewhere: (name) => void found.push(name),
      wanted: () => wanted,
      peers: () => [],
    });
    lease.start();
    return { lease, running, wanted, found };
  });
  const settle = async () => {
    for (let turns = 0; turns < 6; turns++) await turn();
  };
  const wait = async (ms: number) => {
    for (let left = ms; left > 0; left -= 100) {
      clock.advance(milli(100));
      await settle();
    }
  };
  await settle();
  await wait(GRACE);
  return { clock, memory, all, settle, wait };
}

const which = fc.nat(2);
const step = fc.oneof(
  fc.record({ does: fc.constant("claim" as const), which, name: fc.constantFrom(...NAMES) }),
  fc.record({ does: fc.constant("giveUp" as const), which, name: fc.constantFrom(...NAMES) }),
  fc.record({ does: fc.constantFrom("stop" as const, "goOn" as const, "cut" as const), which }),
  fc.record({ does: fc.constantFrom("hang" as const, "answer" as const) }),
  fc.record({ does: fc.constant("wait" as const), ms: fc.constantFrom(100, 400, 900, 2_100, 6_000) }),
);

test("no two nodes may order what is said under one name, whatever stops, hangs and comes back, as long as the store is there", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { clock, memory, all, settle } = await nodes();
      const owners = (name: string) =>
        all.filter(({ lease }) => lease.holds(name) && lease.isSure && !lease.isAlone).length;
      for (const one of steps) {
        if (one.does === "claim") {
          const node = all[one.which] ?? expect.unreachable();
          void Promise.resolve(node.lease.claim(one.name)).then(
            (place) => place?.is === "here" && node.wanted.add(one.name),
          );
        } else if (one.does === "giveUp") {
          const { lease, wanted } = all[one.which] ?? expect.unreachable();
          if (wanted.delete(one.name) && lease.isSure) void lease.giveUp([one.name]);
        } else if (one.does === "stop") all[one.which]?.running.stop();
        else if (one.does === "goOn") all[one.which]?.running.goOn();
        else if (one.does === "cut") memory.cut(memory.nodes[one.which] ?? "");
        else if (one.does === "hang") memory.hang();
        else if (one.does === "answer") memory.goOn();
        else if (one.does === "wait")
          for (let left = one.ms; left > 0; left -= 100) {
            clock.advance(milli(100));
            await settle();
            for (const name of NAMES) expect(owners(name)).toBeLessThanOrEqual(1);
          }
        await settle();
        for (const name of NAMES) expect(owners(name)).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 60 },
  );
});

test("a name that is given up while the store is asked for it is not taken up again by the answer", async () => {
  const { clock, memory, all, settle, wait } = await nodes();
  const [one = expect.unreachable(), two = one] = all;
  expect(await one.lease.claim("one")).toEqual({ is: "here" });
  one.wanted.add("one");
  // Just before the next look at all names.
  await wait(4_900 - clock.now());
  memory.hang();
  clock.advance(milli(100));
  one.wanted.delete("one");
  void one.lease.giveUp(["one"]);
  memory.goOn();
  await settle();
  expect(await two.lease.claim("one")).toEqual({ is: "here" });
  expect(one.lease.holds("one")).toBe(false);
});

test("a node that is refused again and again takes back what it had by the name that the store knows", async () => {
  const refusing = { is: false };
  const { all, wait } = await nodes((store) => ({
    open: async (node, events) => {
      const session = await store.open(node, events);
      const renew = (peers: readonly string[]) =>
        refusing.is ? Promise.reject(new Error("READONLY")) : session.renew(peers);
      return { ...session, renew };
    },
  }));
  const [one = expect.unreachable()] = all;
  expect(await one.lease.claim("one")).toEqual({ is: "here" });
  one.wanted.add("one");
  refusing.is = true;
  await wait(24_000);
  refusing.is = false;
  await wait(GRACE + 2_000);
  expect([one.lease.isAlone, one.lease.holds("one"), one.wanted.has("one")]).toEqual([false, true, true]);
});

test("who wants a name that is another node's hears so at each look", async () => {
  const { all, wait } = await nodes();
  const [one = expect.unreachable(), two = one] = all;
  expect(await one.lease.claim("one")).toEqual({ is: "here" });
  for (const { wanted } of [one, two]) wanted.add("one");
  await wait(11_000);
  expect([one.found, two.found]).toEqual([[], ["one", "one"]]);
});

test("what a node got under a name by which it was not let in, it takes from that one, and leaves it", async () => {
  const failing = { at: [3, 4], claims: 0, left: 0 };
  const { memory, all, wait } = await nodes((store) => failingStore(store, failing));
  const [one = expect.unreachable(), two = one] = all;
  const names = Array.from({ length: 500 }, (_, i) => `${i}`);
  for (const name of names) expect(await one.lease.claim(name)).toEqual({ is: "here" });
  memory.cut(memory.nodes[0] ?? expect.unreachable());
  await wait(1_500);
  expect([failing.claims, failing.left, one.lease.isConnected]).toEqual([7, 2, true]);
  expect(names.filter((name) => one.lease.holds(name))).toEqual(names);
  expect(await two.lease.claim("499")).toMatchObject({ is: "there" });
});

test("a node that closes while it is let in asks for nothing more, and others have at once what it got", async () => {
  let claims = 0;
  let answer = () => {};
  const late = new Promise<void>((done) => {
    answer = done;
  });
  const slow = (store: Store): Store => ({
    open: async (node, events) => {
      const session = await store.open(node, events);
      const claim: StoreSession["claim"] = async (names, former) => {
        if (former.length > 0 && ++claims === 1) await late;
        return session.claim(names, former);
      };
      return { ...session, claim };
    },
  });
  const { memory, all, wait } = await nodes(slow);
  const [one = expect.unreachable(), two = one] = all;
  for (let i = 0; i < 500; i++) await one.lease.claim(`${i}`);
  memory.cut(memory.nodes[0] ?? expect.unreachable());
  await wait(100);
  const closed = one.lease.close();
  answer();
  await closed;
  await wait(100);
  expect(claims).toBe(1);
  expect(await two.lease.claim("0")).toEqual({ is: "here" });
});

test("names that are given up as the session ends are no failure: they went with it", async () => {
  const { memory, all, settle } = await nodes();
  const [one = expect.unreachable()] = all;
  one.lease.assume("one");
  memory.hang();
  const givenUp = one.lease.giveUp(["one"]);
  for (const node of memory.nodes) memory.cut(node);
  await settle();
  await expect(givenUp).resolves.toBeUndefined();
  expect(one.lease.holds("one")).toBe(false);
});
