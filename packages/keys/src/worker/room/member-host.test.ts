import { toHex } from "@sealcast/bytes";
import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, test } from "vitest";
import type { RoomMode } from "../../shared/messages.ts";
import { type Membership, makeKeyPackage } from "../mls/key-package.ts";
import { knockAt } from "./knock.cases.ts";
import { type Answer, openAnswer } from "./knock.ts";
import { Member } from "./member.ts";
import { link, OWN } from "./pair.cases.ts";
import { NOTHING, newMembership, nodeOf, ROOM } from "./room.cases.ts";
import type { FromMember, FromRoom, ToMember, ToRoom } from "./wire.ts";

let clock: ManualClock;
let founder: Membership;
let member: Member;
let said: FromMember[];

/** Who founded the room, alone in it. */
beforeEach(async () => {
  [clock, founder, said] = [new ManualClock(), await newMembership(link), []];
  const heard = said;
  member = new Member(founder, clock, (message) => void heard.push(message));
  await hear({ type: "alone" });
  await hear({ type: "entered", at: nodeOf(sent("enter")[0]?.token ?? ""), is: "new", knockKeys: [] });
});

const tell = (message: ToMember) => member.receive(message);
const hear = (event: FromRoom) => tell({ type: "room", event });

async function advance(ms: number): Promise<void> {
  clock.advance(milli(ms));
  await tell(NOTHING);
}

function sent<T extends ToRoom["type"]>(type: T): Extract<ToRoom, { type: T }>[] {
  const toRoom = said.flatMap((message) => (message.type === "to-room" ? [message.message] : []));
  return toRoom.filter((message): message is Extract<ToRoom, { type: T }> => message.type === type);
}

/** The present epoch, as the server knows it. */
function epoch(): { at: string; key: string } {
  const at = nodeOf(sent("enter").at(-1)?.token ?? "");
  const begun = sent("commit").find(({ next }) => next === at);
  const { knockKey } = begun ?? sent("enter").at(-1) ?? expect.unreachable();
  return { at, key: knockKey?.key ?? expect.unreachable() };
}

/** Every list of those who wait that the page was given. */
const lists = () => said.flatMap((message) => (message.type === "knockers" ? [message.knockers] : []));

/** The member's last commit comes back from the server. */
async function order(): Promise<void> {
  await advance(1_000);
  const { at, next, body } = sent("commit").at(-1) ?? expect.unreachable();
  await hear({ type: "ordered", from: OWN, at, next, body });
}

async function change(mode: RoomMode): Promise<void> {
  await tell({ type: "mode", mode });
  await order();
}

/** Someone with the link who knocks, with a key package of its own each time, and what they are told. */
async function stranger(name: string) {
  const membership = await newMembership(link, { name });
  const leafKeys: Uint8Array[] = [];
  const [identity, seat] = [membership.identity.publicKey, membership.seat].map(toHex);
  return {
    shown: { name, identity, seat: `${identity}${seat}`, oldLink: false, removed: false },
    async knock() {
      const own = await makeKeyPackage(membership);
      leafKeys.push(own.publicPackage.leafNode.signaturePublicKey);
      await hear(await knockAt(epoch(), membership, { from: name, own }));
    },
    async answers(): Promise<(Answer | null)[]> {
      const bodies = sent("answer").filter(({ to }) => to === name);
      const opened = bodies.map(({ body }) => Promise.all(leafKeys.map((key) => openAnswer(link, ROOM, key, body))));
      return (await Promise.all(opened)).map((tries) => tries.find((answer) => answer !== null) ?? null);
    },
  };
}

test("in an open room nobody waits or is answered: they are let in", async () => {
  const ada = await stranger("Ada");
  await ada.knock();
  await order();
  expect([await ada.answers(), lists()]).toEqual([[], []]);
  expect(sent("commit").at(-1)?.welcome?.to).toEqual(["Ada"]);
});

test("in a waiting room a host is shown who knocks, once, until they have not knocked for 30 s", async () => {
  await change("waiting");
  const [ada, ben] = [await stranger("Ada"), await stranger("Ben")];
  await ada.knock();
  await advance(20_000);
  await ada.knock();
  expect([await ada.answers(), lists()]).toEqual([["waiting", "waiting"], [[ada.shown]]]);
  await ben.knock();
  expect(lists().at(-1)).toEqual([ada.shown, ben.shown]);
  await advance(30_000);
  expect(lists()).toHaveLength(2);
  await advance(1_000);
  expect(lists().slice(2)).toEqual([[]]);
  expect(sent("commit")).toHaveLength(1);
});

test("a no is told to whom it is for, and to nobody who does not wait; a yes lets in", async () => {
  await change("waiting");
  const [ada, ben] = [await stranger("Ada"), await stranger("Ben")];
  for (const { knock } of [ada, ben]) await knock();
  await tell({ type: "admit", seat: "nobody's", yes: false });
  expect(sent("answer")).toHaveLength(2);
  await tell({ type: "admit", seat: ada.shown.seat, yes: false });
  expect(await ada.answers()).toEqual(["waiting", "turned-away"]);
  expect(lists().at(-1)).toEqual([ben.shown]);
  await tell({ type: "admit", seat: ben.shown.seat, yes: true });
  expect(lists().at(-1)).toEqual([]);
  await order();
  expect(await ben.answers()).toEqual(["waiting"]);
  expect(sent("commit").at(-1)?.welcome?.to).toEqual(["Ben"]);
});

test("a no holds for 30 s: who knocks on is turned away and not shown, and then is asked about again", async () => {
  await change("waiting");
  const ada = await stranger("Ada");
  await ada.knock();
  await tell({ type: "admit", seat: ada.shown.seat, yes: false });
  await advance(29_000);
  await ada.knock();
  expect(await ada.answers()).toEqual(["waiting", "turned-away", "turned-away"]);
  expect(lists().at(-1)).toEqual([]);
  await advance(2_000);
  await ada.knock();
  expect([(await ada.answers()).at(-1), lists().at(-1)]).toEqual(["waiting", [ada.shown]]);
});

test("in a locked room a stranger is turned away at once, and not shown", async () => {
  await change("locked");
  const ada = await stranger("Ada");
  await ada.knock();
  expect([await ada.answers(), lists()]).toEqual([["turned-away"], []]);
});

test("a removal takes the member out and makes another link, which the page is told; of nobody, it is nothing", async () => {
  const ada = await stranger("Ada");
  await ada.knock();
  await order();
  for (const identity of [toHex(founder.identity.publicKey), "nobody's"]) await tell({ type: "remove", identity });
  await advance(5_000);
  const before = sent("commit").length;
  expect(founder.linkSecret.reveal()).toEqual(link);
  await tell({ type: "remove", identity: ada.shown.identity ?? "" });
  await order();
  expect(sent("commit").length).toBe(before + 1);
  expect(said.findLast((message) => message.type === "members")?.members).toHaveLength(1);
  const told = said.filter((message) => message.type === "link").map(({ secret }) => toHex(secret));
  expect(told).toEqual([toHex(founder.linkSecret.reveal())]);
  expect(told).not.toEqual([toHex(link)]);
  // Anyone who has the old one only is shown, whatever the mode, and turned away by nobody but a host.
  const ben = await stranger("Ben");
  await ben.knock();
  expect([await ben.answers(), lists()]).toEqual([["waiting"], [[{ ...ben.shown, oldLink: true }]]]);
});
