import { concat, toBase64url, toHex, utf8 } from "@sealcast/bytes";
import { openWithSecret } from "@sealcast/crypto";
import type { KnockKey } from "@sealcast/protocol";
import { describe, expect, test } from "vitest";
import { Group } from "../mls/group.ts";
import { knockKeysOf, readKnock } from "./knock.cases.ts";
import { sealAnswer } from "./knock.ts";
import { link } from "./pair.cases.ts";
import { newMembership, Person, ROOM, TestRoom } from "./room.cases.ts";
import type { FromRoom, ToRoom } from "./wire.ts";

type Knocked = Extract<FromRoom, { type: "knocked" }>;

/** Everything that the server sends to this person goes into `tape`, too. */
function tap(person: Person, tape: FromRoom[]): Person {
  person.loses = (event) => {
    tape.push(event);
    return false;
  };
  return person;
}

const knocksOn = (tape: readonly FromRoom[]) => tape.filter((event): event is Knocked => event.type === "knocked");
const hear = (person: Person, event: FromRoom) => person.member.receive({ type: "room", event });

function expectTogether(...people: Person[]): void {
  expect(new Set(people.map(({ place }) => place)).size).toBe(1);
  for (const { members } of people) expect(members).toHaveLength(people.length);
}

test("a newcomer says no more to be let in than that it has the link, and who it is", async () => {
  const room = new TestRoom();
  await room.enter("a");
  const b = await room.enter("b");
  const said = b.said.flatMap((message) => (message.type === "to-room" ? [message.message.type] : []));
  expect(said.slice(0, 3)).toEqual(["join", "knock", "enter"]);
});

test("who comes before the founder's group is known there is in as soon as it is", async () => {
  const room = new TestRoom();
  const [a, b] = [await room.newPerson("a"), await room.newPerson("b")];
  const held: ToRoom[] = [];
  room.ignores = (from, message) => from === a && message.type === "enter" && held.push(message) > 0;
  for (const person of [a, b]) {
    room.connect(person);
    await room.settle();
  }
  expect([a.members.length, b.members.length]).toEqual([1, 0]);
  room.ignores = () => false;
  for (const message of held) room.take(a, message);
  await room.advance(1_000);
  expectTogether(a, b);
  expect(b.sent("request-keys")).toEqual([]);
});

test("after the server was restarted, newcomers come in by the keys that members bring", async () => {
  const room = new TestRoom();
  const [a, b] = (await room.enterAll("a", "b")) as [Person, Person];
  room.restart();
  for (const person of [a, b]) room.connect(person);
  const c = await room.enter("c");
  expectTogether(a, b, c);
});

describe("a member that gives the server a wrong knock key for the epoch that its commit begins", () => {
  async function wrong(change: (key: KnockKey) => KnockKey): Promise<TestRoom> {
    const room = new TestRoom();
    const [, , bad] = (await room.enterAll("a", "b", "bad")) as [Person, Person, Person];
    const { take } = room;
    room.take = (from, message) =>
      take.call(
        room,
        from,
        "knockKey" in message && message.knockKey !== null && from === bad
          ? { ...message, knockKey: change(message.knockKey) }
          : message,
      );
    await bad.member.receive({ type: "introduce", name: "Bad" });
    await room.advance(5_000);
    expect(room.people.map(({ epoch }) => epoch)).toEqual([3, 3, 3]);
    return room;
  }

  const changes: [string, (key: KnockKey) => KnockKey][] = [
    ["key", ({ tags }) => ({ key: toBase64url(new Uint8Array(1216)), tags })],
    ["list of links", ({ key }) => ({ key, tags: [toBase64url(new Uint8Array(16))] })],
  ];

  test.each(changes)("a wrong %s keeps nobody out: the others give theirs", async (_, change) => {
    const room = await wrong(change);
    const newcomer = await room.enter("newcomer");
    await room.advance(5_000);
    expectTogether(...room.people);
    expect(newcomer.members).toHaveLength(4);
  });

  test("is answered by each of the others once, whatever the server says that it has", async () => {
    const room = new TestRoom();
    const [a] = (await room.enterAll("a", "b")) as [Person, Person];
    const offers = () => a.sent("enter").filter(({ knockKey }) => knockKey !== null).length;
    const before = offers();
    for (let i = 0; i < 3; i += 1) {
      await hear(a, { type: "entered", at: a.node, is: "new", knockKeys: [] });
      await room.settle();
    }
    expect(offers() - before).toBeLessThanOrEqual(1);
  });
});

describe("a knock of a member who has left", () => {
  test("is read by nobody who came after them, so the server cannot seat them again", async () => {
    const room = new TestRoom();
    const tape: FromRoom[] = [];
    const a = tap(await room.enter("a"), tape);
    const gone = await room.enter("gone");
    await gone.member.receive({ type: "leave" });
    room.close(gone);
    await room.advance(1_000);
    const late = await room.enter("late");
    await a.member.receive({ type: "leave" });
    room.close(a);
    await room.advance(1_000);
    expectTogether(late);
    const [knock, ...later] = knocksOn(tape);
    expect(later).toHaveLength(1);
    const node = late.node;
    for (const at of [knock!.at, node]) await hear(late, { ...knock!, at });
    await room.advance(5_000);
    expect([late.node, late.notes("stale"), late.notes("bad-knock")]).toEqual([node, 1, 1]);
  });

  test("counts no more where it was held up, with those who were there", async () => {
    const room = new TestRoom();
    const a = await room.enter("a");
    const tape: FromRoom[] = [];
    a.loses = (event) => {
      if (event.type === "knocked") tape.push(event);
      return event.type === "knocked" && tape.length === 1;
    };
    const gone = await room.enter("gone");
    await room.advance(3_000);
    expectTogether(a, gone);
    await gone.member.receive({ type: "leave" });
    room.close(gone);
    await room.advance(1_000);
    const [held] = knocksOn(tape);
    const { node } = a;
    await hear(a, held!);
    await room.advance(8_000);
    await hear(a, held!);
    await room.advance(2_000);
    expect([a.node, a.notes("replayed"), a.notes("stale")]).toEqual([node, 1, 1]);
  });
});

describe("who has the link and sees all that the server does", () => {
  /** A waiting room with one who knocks, and everything that came to its members and to the one who knocks. */
  async function waitingRoom() {
    const room = new TestRoom();
    const tape: FromRoom[] = [];
    const a = tap(await room.enter("a"), tape);
    await a.member.receive({ type: "mode", mode: "waiting" });
    await room.advance(300);
    const knocker = tap(await room.newPerson("Someone by name"), tape);
    room.connect(knocker);
    await room.advance(4_000);
    return { room, a, knocker, tape };
  }

  test("reads no name and no identity of those who knock", async () => {
    const { room, knocker, tape } = await waitingRoom();
    expect(knocker.said).toContainEqual({ type: "answered", is: "waiting" });
    const bodies = tape.flatMap((event) => ("body" in event ? [event.body] : []));
    const opened = await Promise.all(bodies.map((body) => openWithSecret(room.secret, "knock", utf8(ROOM), body)));
    expect(opened.filter((inside) => inside !== null).length, "knocks that the link opens").toBeGreaterThan(1);
    const seen = toHex(concat(...bodies, ...opened.flatMap((inside) => inside ?? [])));
    const { identity, name, seat } = knocker.membership;
    for (const secret of [identity.publicKey, utf8(name), seat]) expect(seen).not.toContain(toHex(secret));
  });

  test("cannot turn them away: nothing that it sees names the knock", async () => {
    const { room, a, knocker, tape } = await waitingRoom();
    const [knock] = knocksOn(tape);
    const inside = await openWithSecret(room.secret, "knock", utf8(ROOM), knock!.body);
    const keys = [...new Set([0, 8, 10, 1130, inside!.length - 32].map((at) => inside!.slice(at, at + 32)))];
    for (const key of keys)
      await hear(knocker, {
        type: "answered",
        from: "X",
        body: await sealAnswer(room.secret, ROOM, key, "turned-away"),
      });
    await room.advance(1_000);
    expect(knocker.said.filter(({ type }) => type === "refused")).toEqual([]);
    const { seat } = a.said.findLast((said) => said.type === "knockers")?.knockers[0] ?? expect.unreachable();
    await a.member.receive({ type: "admit", seat, yes: true });
    await room.advance(4_000);
    expectTogether(a, knocker);
  });

  test("can found a group and turn newcomers away there, who knock at the others then, and are let in", async () => {
    const [rival, honest] = await Promise.all([newMembership(link), newMembership(link)]);
    const [made, group] = await Promise.all([Group.create(rival), Group.create(honest)]);
    const newcomer = new Person(new TestRoom(), "newcomer", await newMembership(link));
    await hear(newcomer, { type: "joined", member: "N".repeat(22), resumed: false });
    const of = async (one: Group) => (await knockKeysOf(one, honest, link)).tips;
    await hear(newcomer, { type: "knock-keys", tips: await of(made) });
    const fooled = await readKnock(made, rival, newcomer.sent("knock")[0]!);
    const key = fooled!.keyPackage.leafNode.signaturePublicKey;
    await hear(newcomer, { type: "answered", from: "R", body: await sealAnswer(link, ROOM, key, "turned-away") });
    expect(newcomer.sent("request-keys")).toEqual([{ type: "request-keys", all: true }]);
    await hear(newcomer, { type: "knock-keys", tips: [...(await of(made)), ...(await of(group))] });
    expect(newcomer.said.at(-1)).toEqual({ type: "answered", is: "turned-away" });
    const read = await readKnock(group, honest, newcomer.sent("knock")[1]!);
    const { welcome } = await group.commit({ add: [read!.keyPackage], remove: [] });
    await hear(newcomer, { type: "welcomed", from: "H", body: welcome! });
    expect(newcomer.members.map(({ identity }) => identity)).toContain(toHex(honest.identity.publicKey));
  });
});

test("a member that calls itself by a newcomer's session has nobody's knock forgotten", async () => {
  const room = new TestRoom();
  const [a, b] = (await room.enterAll("a", "b")) as [Person, Person];
  await a.member.receive({ type: "mode", mode: "waiting" });
  await room.advance(500);
  const n = await room.enter("n");
  const waiting = () => a.said.findLast((message) => message.type === "knockers")?.knockers.map(({ name }) => name);
  expect(waiting()).toEqual(["n"]);
  await hear(b, { type: "joined", member: n.session?.id ?? "", resumed: false });
  await b.member.receive({ type: "introduce", name: "c" });
  const { epoch } = a;
  await room.advance(400);
  expect([a.epoch, waiting()]).toEqual([epoch + 1, ["n"]]);
});
