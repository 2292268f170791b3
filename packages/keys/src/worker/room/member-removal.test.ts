import { Secret } from "@sealcast/crypto";
import { expect, test } from "vitest";
import { type Person, TestRoom } from "./room.cases.ts";
import type { FromMember } from "./wire.ts";

async function three(): Promise<{ room: TestRoom; a: Person; b: Person; c: Person }> {
  const room = new TestRoom();
  return { room, a: await room.enter("a"), b: await room.enter("b"), c: await room.enter("c") };
}

const remove = (by: Person, { identity }: Person) => by.member.receive({ type: "remove", identity });
const names = ({ members }: Person): string[] => members.map(({ name }) => name);

function told<T extends FromMember["type"]>({ said }: Person, type: T): Extract<FromMember, { type: T }>[] {
  return said.filter((message): message is Extract<FromMember, { type: T }> => message.type === type);
}

function departed(person: Person): string[] {
  return told(person, "members").flatMap((message) =>
    message.departed.map(({ member, by }) => `${member.name}: ${by}`),
  );
}

test("who was removed and who left are told apart, and a new leaf of someone is neither", async () => {
  const { room, a, b, c } = await three();
  const d = await room.enter("d");
  await d.member.receive({ type: "leave" });
  room.close(d);
  await b.member.receive({ type: "rejoin" });
  await room.advance(3_000);
  await remove(a, c);
  await room.advance(500);
  expect([departed(a), departed(b)]).toEqual([
    ["d: leave", "c: removal"],
    ["d: leave", "c: removal"],
  ]);
  expect(told(a, "removal")).toEqual([
    { type: "removal", identity: c.identity, is: "ordered" },
    { type: "removal", identity: c.identity, is: "done" },
  ]);
  expect(told(b, "removal")).toEqual([]);
});

test("all tabs of an identity are removed at once", async () => {
  const { room, a, b, c } = await three();
  const tab = await room.enter("b", { identity: b.membership.identity });
  await remove(a, b);
  await room.advance(500);
  expect([names(a), names(c)]).toEqual([
    ["a", "c"],
    ["a", "c"],
  ]);
  for (const person of [b, tab]) expect(told(person, "refused")).toEqual([{ type: "refused", why: "removed" }]);
});

test("a removal whose slot was taken by the removed one's new leaf follows in the next epoch", async () => {
  const { room, a, b, c } = await three();
  room.ignores = (from, { type }) => from === a && type === "commit";
  await remove(a, b);
  await b.member.receive({ type: "rejoin" });
  await room.advance(2_000);
  expect([names(a), told(a, "removal").map(({ is }) => is)]).toEqual([["a", "b", "c"], ["ordered"]]);
  room.ignores = () => false;
  await room.advance(4_000);
  expect([names(a), names(c)]).toEqual([
    ["a", "c"],
    ["a", "c"],
  ]);
  expect(told(a, "removal").map(({ is }) => is)).toEqual(["ordered", "done"]);
  expect(told(b, "refused")).toEqual([{ type: "refused", why: "removed" }]);
});

test("a removal outlives that the host itself is seated again", async () => {
  const { room, a, b, c } = await three();
  room.ignores = (from, { type }) => from === a && type === "commit";
  await remove(a, b);
  await a.member.receive({ type: "rejoin" });
  await room.advance(3_000);
  expect(names(c)).toContain("b");
  room.ignores = () => false;
  await room.advance(5_000);
  expect(names(c)).not.toContain("b");
  expect(told(a, "removal").map(({ is }) => is)).toEqual(["ordered", "done"]);
});

test("who was removed stays out though a member hands them the new link, until a host says yes", async () => {
  const { room, a, b, c } = await three();
  await remove(a, b);
  await room.advance(500);
  const linkSecret = () => new Secret(c.membership.linkSecret.reveal().slice());
  const again = await room.enter("b", { ...b.membership, linkSecret: linkSecret() });
  await room.advance(5_000);
  expect([again.place, names(c)]).toEqual(["outside", ["a", "c"]]);
  const [knocker] = told(a, "knockers").at(-1)?.knockers ?? [];
  expect(knocker).toMatchObject({ identity: b.identity, removed: true, oldLink: false });
  await a.member.receive({ type: "admit", seat: knocker?.seat ?? "", yes: true });
  await room.advance(4_000);
  expect([names(c), again.place, told(again, "refused")]).toEqual([["a", "b", "c"], c.place, []]);
});
