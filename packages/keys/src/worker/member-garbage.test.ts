import { describe, expect, test } from "vitest";
import { type Person, TestRoom } from "./room.cases.ts";

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

  test("and nobody is kept out for it afterwards, nor seated anew", async () => {
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
