import { expect, test } from "vitest";
import { FakeRelay } from "./relay.cases.ts";
import { type Client, group, setUp } from "./room.cases.ts";

/** What was promised is done. */
const done = () => new Promise((next) => setImmediate(next));

function relayed(size: number) {
  const relay = new FakeRelay();
  const stage = group(size, { relay });
  /** Asks, and goes there with what comes; null where nothing comes. */
  const ask = async (client: Client) => {
    client.received.length = 0;
    client.say({ type: "relay-token" });
    await done();
    const given = client.all("relay-token").at(-1);
    if (given) relay.enter(given.room, given.identity);
    return given ?? null;
  };
  const entered = async (client: Client) => (await ask(client)) ?? expect.unreachable("no token");
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      stage.wait(500);
      await done();
    }
  };
  return { ...stage, relay, ask, entered, pass };
}

test("members of a group meet in one room of the relay, each under a random name that their session keeps", async () => {
  const { members, entered, relay } = relayed(3);
  const given = [];
  for (const member of members) given.push(await entered(member));
  const [first] = given;
  expect(new Set(given.map(({ room }) => room)).size).toBe(1);
  expect(new Set(given.map(({ identity }) => identity)).size).toBe(3);
  for (const { member } of members) expect(JSON.stringify(given)).not.toContain(member);
  expect(first).toMatchObject({
    url: relay.url,
    validFor: 120,
    token: `head.${first?.room}-${first?.identity}.signature`,
  });
  expect(await entered(members[0] ?? expect.unreachable())).toEqual(first);
});

test("joining says whether there is a relay", () => {
  expect(setUp({ relay: new FakeRelay() }).join().joined.relay).toBe(true);
  const { join } = setUp();
  const alone = join().enter("e");
  alone.say({ type: "relay-token" });
  expect([alone.joined.relay, alone.types()]).toEqual([false, ["joined", "alone", "entered"]]);
});

test("who is not in the group gets no token", async () => {
  const { join, ask, alice } = relayed(2);
  const outsider = join();
  expect(await ask(outsider), "no token of an epoch").toBeNull();
  const invited = join();
  alice.commit("next", { newcomers: [invited] });
  expect(await ask(invited), "invited, and has not shown that it opened the welcome").toBeNull();
  alice.say({ type: "listen", door: "F", signature: "" });
  const former = join("F").enter("its own");
  expect(await ask(former), "in a group of its own, by a former door").toBeNull();
});

test("who shows a token of their own making gets another room", async () => {
  const { join, entered, alice } = relayed(2);
  const real = await entered(alice);
  expect((await entered(join().enter("made up"))).room).not.toBe(real.room);
});

test("who leaves is sent away at once, and sent away again for as long as the relay lets them back", async () => {
  const { alice, bob, entered, pass, relay } = relayed(2);
  const { room } = await entered(alice);
  const { identity } = await entered(bob);
  bob.leave();
  await pass(2_000);
  expect(relay.there.get(room)?.has(identity)).toBe(false);
  for (const later of [60_000, 540_000]) {
    await pass(later);
    relay.enter(room, identity);
    await pass(15_500);
    expect(relay.there.get(room)?.has(identity)).toBe(false);
  }
  expect(relay.there.get(room)?.size, "who is inside stays").toBe(1);
  await pass(15 * 60_000);
  const { removals } = relay;
  await pass(60_000);
  expect(relay.removals, "nobody can come back any more").toBe(removals);
});

test("a removed member is sent away though it goes on by itself, and gets no more of the others' room", async () => {
  const { members, alice, bob, others, entered, ask, pass, relay } = relayed(4);
  for (const member of members) await entered(member);
  const { room, identity } = await entered(bob);
  alice.commit("without bob");
  for (const member of [alice, ...others]) member.enter("without bob");
  // A commit of its own beside that of the removal, and one after the other from there.
  bob.commit("bob's", { despite: [alice.all("ordered").at(-1)?.next ?? ""] });
  bob.enter("bob's");
  await pass(8_000);
  expect(relay.there.get(room)).toEqual(
    new Set((await Promise.all([alice, ...others].map(entered))).map((g) => g.identity)),
  );
  expect(relay.there.get(room)?.has(identity)).toBe(false);
  expect((await ask(bob))?.room).not.toBe(room);
});

test("many sessions that a removed member opened keep the room, and the others get another at once", async () => {
  const { alice, bob, join, entered, pass } = relayed(2);
  const { room } = await entered(alice);
  const many = [bob, join().enter("e"), join().enter("e")];
  for (const one of many) await entered(one);
  alice.commit("next");
  alice.enter("next");
  bob.commit("bob's", { despite: [alice.all("ordered").at(-1)?.next ?? ""] });
  for (const one of many) one.enter("bob's");
  await pass(8_000);
  expect((await entered(alice)).room).not.toBe(room);
  expect((await entered(bob)).room).toBe(room);
});

test("groups that become one meet in one room", async () => {
  const { alice, others, join, entered, pass, relay } = relayed(3);
  const { room } = await entered(alice);
  for (const one of others) await entered(one);
  const other = join().enter("another");
  const apart = await entered(other);
  expect(apart.room).not.toBe(room);
  other.enter("e");
  await pass(2_500);
  expect(relay.there.get(apart.room) ?? new Set()).toEqual(new Set());
  expect((await entered(other)).room).toBe(room);
});

test("a relay that is not reached is told when it is", async () => {
  const { alice, bob, entered, pass, relay } = relayed(2);
  const { room } = await entered(alice);
  const { identity } = await entered(bob);
  relay.isReachable = false;
  bob.leave();
  await pass(20 * 60_000);
  expect(relay.there.get(room)?.has(identity)).toBe(true);
  relay.isReachable = true;
  await pass(2_500);
  expect(relay.there.get(room)?.has(identity)).toBe(false);
});

test("of who was sent away 256 are remembered, who went last", async () => {
  const { alice, join, entered, pass, relay } = relayed(2);
  const { room } = await entered(alice);
  const gone: string[] = [];
  for (let i = 0; i < 300; i++) {
    const one = join().enter("e");
    gone.push((await entered(one)).identity);
    one.leave();
    if (i % 40 === 0) await pass(2_000);
  }
  await pass(4_500);
  for (const identity of gone) relay.enter(room, identity);
  await pass(15_500);
  expect([...(relay.there.get(room) ?? [])].filter((identity) => gone.includes(identity))).toEqual(gone.slice(0, 44));
});

test("the room at the relay ends with the last of them, and a room that closes touches nobody", async () => {
  const { alice, bob, entered, pass, relay, rooms } = relayed(2);
  const { room } = await entered(alice);
  alice.leave();
  await pass(2_500);
  expect(relay.there.has(room)).toBe(false);
  const next = await entered(bob);
  expect(next.room).not.toBe(room);
  rooms.close();
  await pass(10_000);
  expect(relay.there.get(next.room)?.size).toBe(1);
});
