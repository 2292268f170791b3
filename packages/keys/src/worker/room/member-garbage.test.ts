import { toBase64url } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { describe, expect, test } from "vitest";
import { nodeOf, type Person, TestRoom } from "./room.cases.ts";
import type { FromMember, FromRoom } from "./wire.ts";

async function three(): Promise<{ room: TestRoom; people: [Person, Person, Person] }> {
  const room = new TestRoom();
  room.hasChannels = true;
  return { room, people: [await room.enter("a"), await room.enter("b"), await room.enter("c")] };
}

const names = ({ members }: Person): string[] => members.map(({ name }) => name);
const remove = (by: Person, { identity }: Person) => by.member.receive({ type: "remove", identity });

describe("where a member fills an epoch's places at the server with garbage", () => {
  test("a host removes that member all the same, and the others hear of it from the host", async () => {
    const { room, people } = await three();
    const [a, b, c] = people;
    room.fill(c.node);
    await remove(a, c);
    await room.advance(9_000);
    expect([names(a), names(b)]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    expect(b.place).toBe(a.place);
    for (const { news } of [a, b])
      expect(news.findLast(({ type }) => type === "send")).toMatchObject({ epoch: a.epoch });
    expect(a.notes("unordered-commit")).toBe(1);
  });

  test("newcomers come in by the link that the removal made, and by the one that all had", async () => {
    const { room, people } = await three();
    const [a, b, c] = people;
    room.fill(c.node);
    const early = await room.newPerson("early");
    room.connect(early);
    await remove(a, c);
    room.close(c);
    await room.advance(10_000);
    const late = await room.enter("late", { linkSecret: a.membership.linkSecret });
    await room.advance(20_000);
    expect(late.place).toBe(a.place);
    expect(b.place).toBe(a.place);
    expect(names(a).filter((name) => name !== "early")).toEqual(["a", "b", "late"]);
  });

  test("one of them goes on, not all: the first in turn, and the next where that one does not", async () => {
    const { room, people } = await three();
    const [a, b, c] = people;
    const { epoch } = a;
    room.fill(a.node);
    await room.advance(9_000);
    expect(people.map((person) => person.epoch)).toEqual([epoch, epoch, epoch]);
    await room.advance(7_000);
    expect([a.epoch > epoch, b.place, c.place]).toEqual([true, a.place, a.place]);
    expect(people.map((person) => person.notes("unordered-commit"))).toEqual([1, 0, 0]);
    // The first in turn is not there any more, as far as the server lets the others know.
    room.fill(a.node);
    room.disconnect(a);
    await room.advance(20_000);
    expect([b.epoch > epoch + 1, c.place]).toEqual([true, b.place]);
    expect([b, c].map((person) => person.notes("unordered-commit"))).toEqual([1, 0]);
  });

  test("and nobody is kept out for it afterwards, nor seated again", async () => {
    const { room, people } = await three();
    const [a, b, c] = people;
    const before = people.map(({ leaf }) => leaf);
    room.fill(a.node);
    await room.advance(40_000);
    const d = await room.enter("d");
    expect([a, b, c, d].map(names)).toEqual(Array(4).fill(["a", "b", "c", "d"]));
    expect(people.map(({ leaf }) => leaf)).toEqual(before);
    expect(people.flatMap(({ said }) => said.filter(({ type }) => type === "refused"))).toEqual([]);
  });
});

test("two hosts who remove that member at once make one link, and stay together with all others", async () => {
  const { room, people } = await three();
  const [a, b, c] = people;
  await a.member.receive({ type: "hosts", identities: [a.identity, b.identity] });
  const d = await room.enter("d");
  room.fill(c.node);
  for (const host of [a, b]) await remove(host, c);
  await room.advance(20_000);
  expect([b.place, d.place, names(d)]).toEqual([a.place, a.place, ["a", "b", "d"]]);
});

test("a host on leaves below another's is removed by that one as soon as others are", async () => {
  const { room, people } = await three();
  const [a, b, c] = people;
  await a.member.receive({ type: "hosts", identities: [a.identity, c.identity] });
  await room.advance(2_000);
  room.fill(c.node);
  await remove(c, a);
  await room.advance(9_000);
  expect([names(b), names(c)]).toEqual([
    ["b", "c"],
    ["b", "c"],
  ]);
});

test("a link that was made past the server has its door for the room's own by a commit that follows at once", async () => {
  const { room, people } = await three();
  const [a, b, c] = people;
  const { node } = a;
  const earlier = a.sent("commit").length;
  room.fill(node);
  await remove(a, c);
  await room.advance(10_000);
  const [door] = a.sent("listen").map((listen) => listen.door);
  // Or a member could open a room behind it first.
  const isListen = (told: FromMember) => told.type === "to-room" && told.message.type === "listen";
  expect(a.said.findIndex(isListen)).toBeLessThan(a.said.findIndex(({ type }) => type === "peer-commit"));
  const after = a
    .sent("commit")
    .slice(earlier)
    .filter(({ at }) => at !== node);
  expect(after.map((commit) => commit.door?.door)).toEqual([door]);
  expect([nodeOf(a.place), b.place]).toEqual([after[0]?.next, a.place]);
  // Said once, and not any more where another link is made.
  await remove(a, b);
  await room.advance(1_000);
  expect(a.sent("commit").at(-1)?.door?.door).not.toBe(door);
  expect(names(a)).toEqual(["a"]);
});

test("where nobody followed one commit that is garbage for 5 s, the call goes on all the same", async () => {
  const { room, people } = await three();
  const [a, b, c] = people;
  room.ignores = (_, { type }) => type === "commit";
  room.garble(a.node);
  await room.advance(6_000);
  room.ignores = () => false;
  await room.advance(40_000);
  const d = await room.enter("d");
  expect([a, b, c, d].map(names)).toEqual(Array(4).fill(["a", "b", "c", "d"]));
});

test("a commit beside garbage says the room's door, which the garbage may have taken", async () => {
  const { room, people } = await three();
  const [a] = people;
  room.garble(a.node);
  await room.advance(1_000);
  const beside = people.flatMap((person) => person.sent("commit").filter(({ despite }) => despite.length > 0));
  const [own] = a.sent("join").map(({ door }) => door);
  expect(beside.map(({ door }) => door?.door)).toEqual([own]);
});

test("a server that has two go on at once by what it says is found out within 15 s, and all are together again after it", async () => {
  const { room, people } = await three();
  const [a, b, c] = people;
  const { node: at } = a;
  room.ignores = (_, { type }) => type === "commit";
  const next = toBase64url(random(32));
  const tell = (person: Person, event: FromRoom) => person.member.receive({ type: "room", event });
  const refuse = (person: Person) => tell(person, { type: "refused", at, successors: [next] });
  for (const person of [a, b]) await tell(person, { type: "ordered", from: "", at, next, body: random(60) });
  await room.advance(1_000);
  // So that the turns of the two come at one moment.
  await refuse(b);
  await room.advance(5_000);
  await refuse(a);
  await room.advance(10_000);
  await Promise.all([refuse(a), refuse(b)]);
  expect([a, b].map((person) => person.notes("unordered-commit"))).toEqual([1, 1]);
  room.ignores = () => false;
  const isRed = ({ said }: Person) => said.some((told) => told.type === "alarms" && told.alarms.length > 0);
  await room.advance(5_000);
  expect([isRed(a), isRed(b), a.place === b.place]).toEqual([true, true, false]);
  await room.advance(25_000);
  expect([b.place, c.place]).toEqual([a.place, a.place]);
  expect(people.map(({ said }) => said.findLast(({ type }) => type === "alarms"))).toMatchObject(
    Array(3).fill({ alarms: [] }),
  );
});
