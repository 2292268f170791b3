import { expect, test } from "vitest";
import type { Person } from "./room.cases.ts";
import { TestRoom } from "./room.cases.ts";

const names = (person: Person): string[] => person.members.map(({ name }) => name);
const call = (person: Person, name: string): Promise<void> => person.member.receive({ type: "introduce", name });

test("a new name reaches everybody, also who comes later, and changes nothing else", async () => {
  const room = new TestRoom();
  const [ada, bo] = [await room.enter("Ada"), await room.enter("Bo")];
  const before = ada.members.map(({ name, me, ...rest }) => rest);
  await call(bo, "Bea");
  await room.advance(100);
  for (const person of [ada, bo]) expect(names(person)).toEqual(["Ada", "Bea"]);
  expect(new Set([ada.place, bo.place]).size).toBe(1);
  expect(ada.members.map(({ name, me, ...rest }) => rest)).toEqual(before);
  expect(names(await room.enter("Cy"))).toEqual(["Ada", "Bea", "Cy"]);
  await bo.send("all", "hello");
  await room.settle();
  const heard = ada.said.findLast((message) => message.type === "message");
  expect(heard?.from.name).toBe("Bea");
});

test("of names in a row the last counts, and everybody gets one epoch more in 5 s", async () => {
  const room = new TestRoom();
  const [ada, bo] = [await room.enter("Ada"), await room.enter("Bo")];
  const epoch = () => ada.epoch;
  const before = epoch();
  for (const name of ["Bea", "Bob", "Bert"]) {
    await call(bo, name);
    await room.advance(100);
  }
  expect([names(ada), epoch() - before]).toEqual([["Ada", "Bea"], 1]);
  await room.advance(5_000);
  expect([names(ada), epoch() - before]).toEqual([["Ada", "Bert"], 2]);
  // What the leaf says already needs no epoch.
  await call(bo, "Bert");
  await room.advance(10_000);
  expect(epoch() - before).toBe(2);
});

test("a name of before the first knock is the leaf's, and one that no leaf can hold is refused at the edge", async () => {
  const room = new TestRoom();
  const ada = await room.newPerson("Ada");
  await call(ada, "Alice");
  for (const name of ["", "  ", "x".repeat(129), "a\tb"]) await expect(call(ada, name)).rejects.toThrow();
  room.connect(ada);
  const bo = await room.newPerson("Bo");
  await call(bo, "Bob");
  await room.advance(500);
  room.connect(bo);
  await room.advance(1_300);
  expect([names(ada), names(bo)]).toEqual([
    ["Alice", "Bob"],
    ["Alice", "Bob"],
  ]);
});
