import { toHex } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { beforeEach, describe, expect, test } from "vitest";
import type { GroupMember } from "../../shared/messages.ts";
import { type Membership, makeKeyPackage } from "../mls/key-package.ts";
import { Door } from "./door.ts";
import { openHandover } from "./handover.ts";
import { knockAt } from "./knock.cases.ts";
import { openAnswer } from "./knock.ts";
import { newMembership } from "./room.cases.ts";

const first = random(32);
const stranger = await newMembership(first);
const own = await makeKeyPackage(stranger);
const seat = { identity: toHex(stranger.identity.publicKey), seat: toHex(stranger.seat) } as GroupMember;
const NO_CHANGE = { byHost: false, added: [], removed: [], newLink: false };

const epochOf = (letter: string) => ({ place: { token: "", node: letter.repeat(43) }, externalSecret: random(64) });

let membership: Membership;
let door: Door;
let epoch: ReturnType<typeof epochOf>;

beforeEach(async () => {
  [membership, epoch] = [await newMembership(first), epochOf("A")];
  door = new Door(membership);
  door.enter(epoch, null);
});

/** At the epoch, with one key package each time. */
async function knock(link: Uint8Array, at = epoch, membership = stranger, keyPackage = own) {
  const linkSecret = (await newMembership(link)).linkSecret;
  const { body } = await knockAt(at, { ...membership, linkSecret }, { own: keyPackage });
  return door.read("X", at.place.node, body);
}

describe("a knock", () => {
  test("is read under the present link, and one under another is not", async () => {
    expect(await knock(first)).toMatchObject({ from: "X", oldLink: null, applicant: { name: "Ada" } });
    expect(await knock(random(32))).toBe("bad-knock");
  });

  test("to another key than the epoch's, or of no key package, is bad", async () => {
    expect(await knock(first, { ...epoch, externalSecret: random(64) })).toBe("bad-knock");
    const foreign = { ...stranger, room: "BAAAAAAAAAAAAAAAAAAAAA" };
    const { body } = await knockAt(epoch, stranger, { own: await makeKeyPackage(foreign) });
    expect(await door.read("X", epoch.place.node, body)).toBe("bad-knock");
  });

  test("is read at the present epoch and those before until they are left", async () => {
    const [next, later] = [epochOf("B"), epochOf("C")];
    expect(await knock(first, next)).toBe("stale");
    expect(door.enter(next, NO_CHANGE)).toEqual([epoch.place.node]);
    expect(door.enter(later, NO_CHANGE)).toEqual([epoch.place.node, next.place.node]);
    for (const at of [epoch, next, later]) {
      const again = await makeKeyPackage(stranger);
      expect(await knock(first, at, stranger, again)).toMatchObject({ from: "X" });
    }
    door.leave(epoch.place.node);
    door.leave(epoch.place.node);
    expect([await knock(first), await knock(first, next)]).toMatchObject(["stale", { from: "X" }]);
    door.leaveAll();
    expect(await knock(first, later)).toBe("stale");
  });

  test("counts once", async () => {
    expect(await knock(first)).toMatchObject({ from: "X" });
    expect(await knock(first)).toBe("replayed");
  });

  test("of who was added or removed since its epoch counts no more, and another's does", async () => {
    for (const change of [{ added: [seat] }, { removed: [seat] }]) {
      const [before, after] = [epochOf("D"), epochOf("E")];
      door.enter(before, NO_CHANGE);
      door.enter(after, { ...NO_CHANGE, ...change });
      const of = async (at: typeof epoch) => knock(first, at, stranger, await makeKeyPackage(stranger));
      expect(await of(before)).toBe("replayed");
      expect(await of(after)).toMatchObject({ from: "X" });
      const other = await newMembership(first);
      expect(await knock(first, before, other, await makeKeyPackage(other))).toMatchObject({ from: "X" });
    }
  });
});

test("the knock key of an epoch has a tag for each link whose knocks are read", async () => {
  const { key, tags } = await door.knockKey(epoch);
  expect(tags).toHaveLength(1);
  await door.replaceLink(random(32), true);
  const both = await door.knockKey(epoch);
  expect([both.key, both.tags.length, both.tags[1]]).toEqual([key, 2, tags[0]]);
  await door.replaceLink(random(32), false);
  expect((await door.knockKey(epoch)).tags).toHaveLength(1);
});

test("a member that keeps a replaced link reads knocks under it, and answers under it; others have forgotten it", async () => {
  const { linkSecret } = membership;
  await door.replaceLink(random(32), true);
  const caller = await knock(first);
  if (typeof caller === "string") return expect.unreachable();
  expect(caller.oldLink).toBe(linkSecret);
  const { signaturePublicKey } = own.publicPackage.leafNode;
  const opens = (body: Uint8Array) => openAnswer(first, stranger.room, signaturePublicKey, body);
  const said = await door.answer(caller, "waiting");
  expect(said).toMatchObject({ type: "answer", to: "X" });
  expect(said.type === "answer" && (await opens(said.body))).toBe("waiting");
  const given = await door.handOver(caller);
  const handed = given.type === "answer" ? await opens(given.body) : null;
  if (handed === null || typeof handed === "string") return expect.unreachable();
  expect(await openHandover(stranger, own, handed.link)).toEqual(membership.linkSecret.reveal());

  const second = membership.linkSecret;
  await door.replaceLink(random(32), false);
  expect(await knock(first)).toBe("bad-knock");
  for (const forgotten of [linkSecret, second]) expect(() => forgotten.reveal()).toThrow();
});

test("of the links that were replaced the last 16 are kept", async () => {
  const links = [membership.linkSecret];
  for (let i = 0; i < 17; i += 1) {
    if (i === 16) expect(await knock(first)).toMatchObject({ from: "X" });
    await door.replaceLink(random(32), true);
    links.push(membership.linkSecret);
  }
  expect((await door.knockKey(epoch)).tags).toHaveLength(17);
  expect(await knock(first)).toBe("bad-knock");
  expect(() => links[0]?.reveal()).toThrow();
  const another = await makeKeyPackage(stranger);
  expect(await knock(links[1]?.reveal() ?? random(32), epoch, stranger, another)).toMatchObject({ oldLink: links[1] });
});

test("closed, has forgotten the replaced links and not the present one", async () => {
  const { linkSecret } = membership;
  await door.replaceLink(random(32), true);
  door.close();
  expect(() => linkSecret.reveal()).toThrow();
  expect(await knock(first)).toBe("stale");
  door.enter(epoch, null);
  expect(await knock(first)).toBe("bad-knock");
  expect(await knock(membership.linkSecret.reveal())).toMatchObject({ oldLink: null });
});
