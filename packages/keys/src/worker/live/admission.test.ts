import { concat, fromBase64url, toBase64url, toHex, u16 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { beforeEach, expect, test } from "vitest";
import { liveRoomOf, parseLiveLink } from "../../shared/live-link.ts";
import { DoorKey } from "../identity/door-key.ts";
import { verifyEd25519 } from "../identity/ed25519.ts";
import { LiveAdmission } from "./admission.ts";
import { type Claim, LINK_CLAIM, parseAsk, sealAsk } from "./ask.ts";

const host = random(16);
let admission: LiveAdmission;
beforeEach(async () => {
  admission = await LiveAdmission.create(host);
});

async function secretOf(of: LiveAdmission): Promise<Uint8Array> {
  const link = await parseLiveLink(of.room, await of.fragment());
  return link.ok ? link.secret : expect.unreachable();
}

/** How someone stands who asks with that secret. */
async function judged(secret: Uint8Array, claim: Claim = LINK_CLAIM): Promise<string | null> {
  const body = await sealAsk(secret, admission.room, 0n, { ...claim, nonce: random(32), viewerKey: random(1216) });
  const standing = await admission.judge(parseAsk(body) ?? expect.unreachable(), body);
  if (standing !== null) expect(standing.secret).toEqual(secret);
  return standing?.is ?? null;
}

test("the link welcomes, one of the eight before it comes late, and any other is a stranger's", async () => {
  const secrets = [await secretOf(admission)];
  for (let i = 0; i < 9; i += 1) {
    admission.replaceLink();
    secrets.push(await secretOf(admission));
  }
  expect(await judged(secrets.at(-1) ?? expect.unreachable())).toBe("welcome");
  for (const late of secrets.slice(1, -1)) expect(await judged(late)).toBe("late");
  expect(await judged(secrets[0] ?? expect.unreachable())).toBeNull();
  expect(await judged(random(32))).toBeNull();
});

test("who was in is welcome with the secret of their own id, until they are removed", async () => {
  const { id, secret } = await admission.resume(random(16));
  const claim = { kind: "resume", resumeId: id } as const;
  expect(await judged(secret, claim)).toBe("welcome");
  expect(await judged(secret, { kind: "resume", resumeId: random(16) })).toBeNull();
  expect(await judged(await secretOf(admission), claim)).toBeNull();
  expect(admission.isRemoved(toHex(id))).toBe(false);
  admission.remove(toHex(id));
  expect(admission.isRemoved(toHex(id))).toBe(true);
  expect(await judged(secret, claim)).toBe("removed");
});

test("what is kept says all there is to know, each removed id once, and is read back", async () => {
  const id = random(16);
  for (const _ of [1, 2]) admission.remove(toHex(id));
  admission.replaceLink();
  const kept = admission.encode();
  expect(kept.subarray(0, 1 + 16)).toEqual(concat(Uint8Array.of(2), host));
  expect(kept[1 + 16 + 32]).toBe(2);
  expect(kept.subarray(-18)).toEqual(concat(u16(1), id));
  const again = (await LiveAdmission.parse(host, kept)) ?? expect.unreachable();
  expect(again.encode()).toEqual(kept);
  expect([again.room, await again.doors(), await again.fragment()]).toEqual([
    admission.room,
    await admission.doors(),
    await admission.fragment(),
  ]);
  expect(await again.resume(id)).toEqual(await admission.resume(id));
  // What it erases is its own copy.
  for (let i = 0; i < 9; i += 1) again.replaceLink();
  expect(kept).toEqual(admission.encode());
});

test("damaged, of another version or of another host it is not read", async () => {
  const kept = admission.encode();
  expect(await LiveAdmission.parse(host, kept)).not.toBeNull();
  const secrets = 1 + 16 + 32;
  const without = concat(kept.subarray(0, secrets), Uint8Array.of(0), kept.subarray(secrets + 1 + 32));
  for (const wrong of [
    kept.with(0, 1),
    kept.subarray(0, -1),
    concat(kept, new Uint8Array(1)),
    without,
    new Uint8Array(),
  ])
    expect(await LiveAdmission.parse(host, wrong)).toBeNull();
  expect(await LiveAdmission.parse(random(16), kept)).toBeNull();
});

test("the room is named by the hash of the host's own door key, which signs for hosts only", async () => {
  const challenge = { nonce: toBase64url(random(32)), host: "sealcast.example" };
  const { key, signature } = await admission.prove(challenge);
  expect(await liveRoomOf(key)).toBe(admission.room);
  const number = (one: number, ...more: number[]) => Uint8Array.of(one, ...more);
  const nonce = fromBase64url(challenge.nonce) ?? expect.unreachable();
  const publicKey = fromBase64url(key) ?? expect.unreachable();
  const signed = concat(
    Buffer.from("Sealcast door\0"),
    number(10, 5, 0, 16),
    Buffer.from(challenge.host),
    publicKey,
    nonce,
  );
  expect(await verifyEd25519(publicKey, signed, fromBase64url(signature) ?? expect.unreachable())).toBe(true);
  expect((await LiveAdmission.create(host)).room).not.toBe(admission.room);
});

test("the doors are those of the link and of the eight before it, the latest first", async () => {
  const secrets = [await secretOf(admission)];
  for (let i = 0; i < 9; i += 1) {
    admission.replaceLink();
    secrets.unshift(await secretOf(admission));
  }
  const doors = await Promise.all(secrets.slice(0, 9).map((secret) => DoorKey.of(secret, admission.room)));
  expect(await admission.doors()).toEqual(doors.map(({ door }) => door));
});
