import { toHex } from "@sealcast/bytes";
import { random, Secret } from "@sealcast/crypto";
import type { KeyPackage } from "ts-mls";
import { describe, expect, test } from "vitest";
import { Group } from "../mls/group.ts";
import { type Applicant, type Membership, makeKeyPackage } from "../mls/key-package.ts";
import { sealHandover } from "./handover.ts";
import { knockKeysOf, readKnock } from "./knock.cases.ts";
import { sealAnswer } from "./knock.ts";
import { link, Pair, PEER } from "./pair.cases.ts";
import { newMembership, type Person, ROOM, TestRoom } from "./room.cases.ts";

/** The pair's room has this mode from now on. */
async function change(pair: Pair, mode: "open" | "waiting" | "locked"): Promise<void> {
  const hosts = [toHex(pair.founder.identity.publicKey)];
  await pair.order(await pair.commit({ room: { mode, hosts } }));
}

/** The member asks where to knock, and is named this group: the knock as the group's members read it. */
async function knocksAt(pair: Pair, group: Group, reader: Membership): Promise<Applicant> {
  await pair.advance(5000);
  await pair.hear(await knockKeysOf(group, reader, reader.linkSecret.reveal()));
  const knock = pair.sent("knock").at(-1) ?? expect.unreachable();
  return (await readKnock(group, reader, knock)) ?? expect.unreachable();
}

/** A Welcome for the member's knock at this group, and whomever else. */
async function invite(
  pair: Pair,
  { group, reader }: { group: Group; reader: Membership },
  wanted: { also?: KeyPackage[]; remove?: number[] } = {},
): Promise<void> {
  const { also = [], remove = [] } = wanted;
  const { keyPackage } = await knocksAt(pair, group, reader);
  const pending = await group.commit({ add: [...also, keyPackage], remove });
  group.adopt(pending);
  await pair.hear({ type: "welcomed", from: PEER, body: pending.welcome ?? expect.unreachable() });
}

async function foundGroup(): Promise<{ group: Group; reader: Membership }> {
  const reader = await newMembership(link);
  return { group: await Group.create(reader), reader };
}

async function rejoins(pair: Pair): Promise<void> {
  await pair.tell({ type: "rejoin" });
  await pair.advance(5000);
}

describe("someone with the link founds a group of their own", () => {
  test.each(["waiting", "locked"] as const)("and takes nobody into it out of a %s room", async (mode) => {
    const pair = await Pair.meet();
    await change(pair, mode);
    const before = pair.place;
    await rejoins(pair);
    // That it took in the founder, too, is nothing: a knock yields what it takes.
    const { publicPackage } = await makeKeyPackage(pair.founder);
    await invite(pair, await foundGroup(), { also: [publicPackage] });
    expect([pair.place, pair.notes().at(-1)]).toEqual([before, "bad-welcome: of a stranger's group"]);
    // The founder takes the member in afresh all the same.
    await invite(pair, { group: pair.peer, reader: pair.founder }, { remove: [1] });
    expect(pair.place).toBe(pair.peerPlace);
  });

  test("where everybody may come in, a member follows the one who takes it in", async () => {
    const pair = await Pair.meet();
    await rejoins(pair);
    const stranger = await foundGroup();
    await invite(pair, stranger);
    expect(pair.place).toBe(`${stranger.group.epoch} ${stranger.group.place.token}`);
  });

  test("a host alone in a waiting room stays there, and is asked about who founded another group meanwhile", async () => {
    // The host has the higher node, and so gives way to the other.
    let [a, x, room] = await besideAnother();
    while (a.node < x.node) [a, x, room] = await besideAnother();
    room.connect(a);
    for (let i = 0; i < 30; i += 1) {
      await room.advance(1000);
      expect(namesIn(a)).toEqual(["a"]);
    }
    expect(a.notes("bad-welcome")).toBe(1);
    const [{ seat } = { seat: "" }] = waiting(a);
    await a.member.receive({ type: "admit", seat, yes: true });
    await room.advance(6000);
    expect([x.place, namesIn(a)]).toEqual([a.place, ["a", "x"]]);
  });
});

test("who found nobody, and is turned away by those who came after, goes on knocking, and comes in once it may", async () => {
  const room = new TestRoom();
  const a = await room.enter("a");
  await room.enter("b");
  await a.member.receive({ type: "mode", mode: "locked" });
  await room.advance(500);
  room.restart();
  const x = await room.enter("x");
  for (const person of room.people) if (person !== x) room.connect(person);
  await room.advance(18_000);
  // Who comes now finds the group of the one who found nobody first.
  await room.enter("n");
  await room.advance(5_000);
  expect(namesIn(x)).toEqual(["x"]);
  await a.member.receive({ type: "mode", mode: "open" });
  await room.advance(10_000);
  expect(namesIn(x)).toEqual(expect.arrayContaining(["a", "b", "n", "x"]));
});

test("whom another member put out of a waiting room waits there for its host's decision", async () => {
  const pair = await Pair.meet();
  await change(pair, "waiting");
  await pair.order(await pair.commit({ remove: [1] }));
  const { keyPackage } = await knocksAt(pair, pair.peer, pair.founder);
  const body = await sealAnswer(link, ROOM, keyPackage.leafNode.signaturePublicKey, "waiting");
  await pair.hear({ type: "answered", from: PEER, body });
  await pair.advance(100_000);
  await invite(pair, { group: pair.peer, reader: pair.founder });
  expect(pair.place).toBe(pair.peerPlace);
});

test("a host alone whom another group keeps waiting lets people in between its knocks", async () => {
  // The host has the higher node, and so asks at the other.
  let [a, x, room] = await besideAnother();
  while (a.node < x.node) [a, x, room] = await besideAnother();
  await a.member.receive({ type: "mode", mode: "open" });
  await x.member.receive({ type: "mode", mode: "waiting" });
  room.connect(a);
  await room.advance(10_000);
  const n = await room.enter("n");
  await room.advance(60_000);
  expect(namesIn(a)).toContain("n");
  expect(n.place).toBe(a.place);
});

/** The server comes up again, and someone with the link is there before the host of the waiting room. */
async function besideAnother(): Promise<[host: Person, other: Person, TestRoom]> {
  const room = new TestRoom();
  const a = await room.enter("a");
  await a.member.receive({ type: "mode", mode: "waiting" });
  await room.advance(500);
  room.restart();
  return [a, await room.enter("x"), room];
}

describe("a made-up link that someone with the true one hands to a member", () => {
  async function handed(): Promise<Pair> {
    const pair = await Pair.meet();
    await rejoins(pair);
    const stranger = await newMembership(random(32));
    const { group, reader } = await foundGroup();
    const { keyPackage } = await knocksAt(pair, group, reader);
    const madeUp = await sealHandover(stranger, keyPackage);
    const answer = await sealAnswer(link, ROOM, keyPackage.leafNode.signaturePublicKey, { link: madeUp });
    await pair.hear({ type: "answered", from: PEER, body: answer });
    return pair;
  }

  /** Who comes by the true link is let in. */
  async function expectTrueLink(pair: Pair): Promise<void> {
    const { publicPackage } = await makeKeyPackage(await newMembership(link));
    await pair.order(await pair.commit({ add: [publicPackage] }));
    expect(pair.place).toBe(pair.peerPlace);
    expect(pair.said.filter(({ type }) => type === "link")).toEqual([]);
  }

  test("keeps the member out of no group", async () => {
    const pair = await handed();
    await invite(pair, { group: pair.peer, reader: pair.founder }, { remove: [1] });
    expect(pair.place).toBe(pair.peerPlace);
    await expectTrueLink(pair);
  });

  test("is forgotten when nobody takes the member in", async () => {
    const pair = await handed();
    await pair.advance(31_000);
    await expectTrueLink(pair);
  });
});

test("whom a host removed takes nobody out of the room, though they were in it together", async () => {
  const pair = await Pair.meet();
  const reader = await newMembership(link);
  const own = await makeKeyPackage(reader);
  const { node: at, token } = pair.peer.place;
  const pending = await pair.peer.commit({ add: [own.publicPackage], remove: [] });
  pair.peer.adopt(pending);
  await pair.order({ token, at, next: pending.place.node, body: pending.bytes });
  const group = (await Group.join(reader, [own], pending.welcome ?? expect.unreachable())) ?? expect.unreachable();
  await pair.order(await pair.commit({ remove: [group.leaf], newLink: true }));
  // Someone else gives them the present link.
  reader.linkSecret = new Secret(await pair.peer.laterLinkSecret());
  await change(pair, "locked");
  const before = pair.place;
  await rejoins(pair);
  await invite(pair, { group, reader }, { remove: [1] });
  expect([pair.place, pair.notes().at(-1)]).toEqual([before, "bad-welcome: of a stranger's group"]);
});

test("a host alone goes to nobody who has only the link that its removal replaced", async () => {
  const room = new TestRoom();
  const [a, x] = [await room.enter("a"), await room.enter("x")];
  await a.member.receive({ type: "remove", identity: x.identity });
  await room.advance(500);
  room.close(x);
  room.restart();
  // In other browsers, whom nobody has met.
  await room.enterAll("y", "z");
  room.connect(a);
  await room.advance(60_000);
  expect([a.notes("resync") > 0, a.sent("knock"), namesIn(a)]).toEqual([true, [], ["a"]]);
});

function namesIn(person: Person): string[] {
  return person.members.map(({ name }) => name);
}

function waiting(person: Person) {
  return person.said.findLast((message) => message.type === "knockers")?.knockers ?? [];
}
