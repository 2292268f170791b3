import { toHex } from "@sealcast/bytes";
import { sign, verify } from "@sealcast/crypto";
import { ManualClock } from "@sealcast/time";
import { expect, test } from "vitest";
import type { FrameSigning, GroupMember, KeyUpdate } from "../../shared/messages.ts";
import { MediaKeys } from "../media-keys.ts";
import { FrameSigners } from "./frame-signers.ts";

const message = Uint8Array.of(1, 2, 3);

interface Leaf {
  readonly member: Omit<GroupMember, "me">;
  readonly key: CryptoKey;
}

async function leafOf(leaf: number): Promise<Leaf> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const leafKeyId = toHex(new Uint8Array(await crypto.subtle.exportKey("raw", publicKey)));
  return { member: { leaf, leafKeyId, identity: `${leaf}`, seat: "", name: "" }, key: privateKey };
}

/** What one member's media workers know, who is on the first of the leaves at each change. */
function workersOf(room: string) {
  const keys = new MediaKeys(new ManualClock());
  const news: KeyUpdate[] = [];
  keys.attach({ postMessage: (item: KeyUpdate) => void news.push(item) });
  const signers = new FrameSigners(keys, room);
  const enter = (own: Leaf, ...others: Leaf[]) =>
    signers.enter({
      members: [own, ...others].map(({ member }) => ({ ...member, me: member === own.member })),
      signingKey: async () => own.key,
    });
  const signer = (leaf: number) =>
    news.findLast((item) => item.type === "signer" && item.leaf === leaf) as FrameSigning;
  const signing = () => news.findLast((item) => item.type === "signing") as unknown as FrameSigning;
  return { enter, news, signer, signing };
}

test("what a member's workers sign verifies with the others' as its leaf's, and as nobody else's", async () => {
  const [ada, ben, cleo] = [await leafOf(0), await leafOf(1), await leafOf(2)];
  const [hers, his] = [workersOf("room"), workersOf("room")];
  await hers.enter(ada, ben, cleo);
  await his.enter(ben, ada, cleo);
  const signature = await sign(hers.signing().key, message);
  expect(await verify(his.signer(0).key, message, signature)).toBe(true);
  expect(await verify(his.signer(2).key, message, signature)).toBe(false);
  expect(his.signer(0).context).toBe(hers.signing().context);
  expect(workersOf("other").news).toEqual([]);
});

test("in the next epoch only who is new is told of, and who takes a leaf over signs for it alone", async () => {
  const [ada, ben, cleo] = [await leafOf(0), await leafOf(1), await leafOf(1)];
  const hers = workersOf("room");
  await hers.enter(ada, ben);
  await hers.enter(ada, ben);
  expect(hers.news.map(({ type }) => type).sort()).toEqual(["signer", "signing"]);
  await hers.enter(ada, cleo);
  expect(hers.news).toHaveLength(3);
  expect(await verify(hers.signer(1).key, message, await sign(cleo.key, message))).toBe(true);
  expect(await verify(hers.signer(1).key, message, await sign(ben.key, message))).toBe(false);
});

test("who comes to sit on another leaf signs for that one", async () => {
  const [ada, again] = [await leafOf(0), await leafOf(3)];
  const hers = workersOf("room");
  await hers.enter(ada);
  await hers.enter(again);
  expect(hers.signing().key).toBe(again.key);
});
