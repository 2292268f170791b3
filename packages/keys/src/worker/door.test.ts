import { toHex } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { encodeKeyPackage } from "ts-mls/keyPackage.js";
import { beforeEach, expect, test } from "vitest";
import { Door } from "./door.ts";
import { openHandover } from "./handover.ts";
import { type Membership, makeKeyPackage } from "./key-package.ts";
import { openAnswer, sealKnock } from "./knock.ts";
import { newMembership } from "./room.cases.ts";

const first = random(32);
const stranger = await newMembership(first);
const own = await makeKeyPackage(stranger);
const application = encodeKeyPackage(own.publicPackage);

let membership: Membership;
let door: Door;

beforeEach(async () => {
  membership = await newMembership(first);
  door = new Door(membership);
});

async function knock(link: Uint8Array, words = application) {
  return door.read("X", await sealKnock(link, stranger.room, stranger.seconds(), words));
}

test("a knock is read under the present link, and one under another is not", async () => {
  expect(await knock(first)).toMatchObject({ from: "X", oldLink: null, applicant: { name: "Ada" } });
  expect(await knock(random(32))).toBe("bad-knock");
  const nonsense = await sealKnock(first, stranger.room, stranger.seconds(), random(50));
  expect(await door.read("X", nonsense)).toBe("bad-knock");
});

test("a knock that comes late, after the member it was for has been let in, is dropped", async () => {
  const { signaturePublicKey } = own.publicPackage.leafNode;
  const seat = { leaf: 1, identity: "", seat: "", name: "Ada", me: false };
  door.seated([{ ...seat, occupancy: toHex(signaturePublicKey) }]);
  expect(await knock(first)).toBe("replayed");
});

test("whoever keeps a replaced link reads knocks under it, and answers under it; others have forgotten it", async () => {
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
  expect(await knock(first)).toBe("bad-knock");
  expect(() => links[0]?.reveal()).toThrow();
  const another = encodeKeyPackage((await makeKeyPackage(stranger)).publicPackage);
  expect(await knock(links[1]?.reveal() ?? random(32), another)).toMatchObject({ oldLink: links[1] });
});

test("closed, has forgotten the replaced links and not the present one", async () => {
  const { linkSecret } = membership;
  await door.replaceLink(random(32), true);
  door.close();
  expect(() => linkSecret.reveal()).toThrow();
  expect(await knock(first)).toBe("bad-knock");
  expect(await knock(membership.linkSecret.reveal())).toMatchObject({ oldLink: null });
});
