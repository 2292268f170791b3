import { expect, test } from "vitest";
import type { RoomMode, RoomRules } from "../../shared/messages.ts";
import { type Person, TestRoom } from "./room.cases.ts";

async function three(): Promise<{ room: TestRoom; a: Person; b: Person; c: Person }> {
  const room = new TestRoom();
  return { room, a: await room.enter("a"), b: await room.enter("b"), c: await room.enter("c") };
}

function rules({ said }: Person): RoomRules | undefined {
  return said.findLast((message) => message.type === "members")?.rules;
}

const set = (person: Person, mode: RoomMode) => person.member.receive({ type: "mode", mode });
const appoint = (person: Person, ...hosts: Person[]) =>
  person.member.receive({ type: "hosts", identities: hosts.map(({ identity }) => identity) });

test("the founder is host, shares it, and both do what hosts do", async () => {
  const { room, a, b, c } = await three();
  expect([a, b, c].map((person) => rules(person)?.host)).toEqual([true, false, false]);
  await appoint(a, a, b);
  await room.advance(500);
  for (const person of [a, b, c]) expect(rules(person)?.hosts).toEqual([a.identity, b.identity]);
  expect([a, b, c].map((person) => rules(person)?.host)).toEqual([true, true, false]);
  await set(b, "locked");
  await room.advance(500);
  await set(a, "waiting");
  await room.advance(500);
  await set(c, "open");
  await room.advance(2_000);
  // What one host wanted earlier is not taken up again after another's change.
  expect([a, b, c].map((person) => rules(person)?.mode)).toEqual(["waiting", "waiting", "waiting"]);
});

test("a host removes another, who is then off the list, and a guest removes nobody", async () => {
  const { room, a, b, c } = await three();
  await appoint(a, a, b, c);
  await room.advance(500);
  await appoint(a, a, b);
  await room.advance(500);
  await c.member.receive({ type: "remove", identity: a.identity });
  await b.member.receive({ type: "remove", identity: a.identity });
  await room.advance(1_500);
  expect(c.said.filter(({ type }) => type === "removal")).toEqual([]);
  expect(a.said.at(-1)).toEqual({ type: "refused", why: "removed" });
  expect(rules(c)?.hosts).toEqual([b.identity]);
  expect(b.place).toBe(c.place);
  await b.member.receive({ type: "leave" });
  room.close(b);
  await room.advance(1_000);
  await set(c, "locked");
  await room.advance(500);
  expect(rules(c)).toEqual({ host: true, hosts: [c.identity], mode: "locked" });
});

test("a host hands on, and is none any more", async () => {
  const { room, a, b } = await three();
  await appoint(a, b);
  await room.advance(500);
  await set(a, "locked");
  await room.advance(500);
  expect([rules(a)?.host, rules(b)?.host, rules(b)?.mode]).toEqual([false, true, "open"]);
  for (const identities of [[], ["zz"], [a.identity, a.identity]])
    await expect(b.member.receive({ type: "hosts", identities })).rejects.toThrow();
});

test("while no host is here the lowest leaf stands in, until the host is back, whom a locked room lets in", async () => {
  const { room, a, b, c } = await three();
  const { membership } = a;
  await set(a, "locked");
  await room.advance(500);
  await a.member.receive({ type: "leave" });
  room.close(a);
  await room.advance(1_000);
  expect([b, c].map((person) => rules(person)?.host)).toEqual([true, false]);
  await set(b, "waiting");
  await room.advance(500);
  expect(rules(c)?.mode).toBe("waiting");
  await appoint(b, b);
  await room.advance(2_000);
  expect(rules(c)?.hosts).toEqual([b.identity]);
  await set(b, "locked");
  await room.advance(500);
  const stranger = await room.enter("stranger");
  expect(stranger.place).toBe("outside");
  const again = await room.enter("a", { ...membership, linkSecret: stranger.membership.linkSecret });
  await room.advance(3_000);
  expect(again.place).toBe(b.place);
  expect([again, b, c].map((person) => rules(person)?.host)).toEqual([true, false, false]);
});
