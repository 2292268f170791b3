import { random } from "@sealcast/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { newIdentity, ROOM } from "../room/room.cases.ts";
import { issueCredential, isValidAt, parseCredential, sameSeat, verifyCredential } from "./credential.ts";
import { verifyEd25519 } from "./ed25519.ts";

const identity = await newIdentity();
const leafKey = random(32);
const seat = random(16);
const validity = { notBefore: 100n, notAfter: 200n };
const credential = await issueCredential(identity, { room: ROOM, leafKey }, seat, validity);

test("says who sits where, and until when", () => {
  expect(parseCredential(credential)).toEqual({ identity: identity.publicKey, seat, ...validity });
  expect([99n, 100n, 200n, 201n].map((now) => isValidAt(validity, now))).toEqual([false, true, true, false]);
});

test("holds for this room and this leaf key only", async () => {
  expect(await verifyCredential({ room: ROOM, leafKey }, credential)).toBe(true);
  expect(await verifyCredential({ room: "BAAAAAAAAAAAAAAAAAAAAA", leafKey }, credential)).toBe(false);
  expect(await verifyCredential({ room: ROOM, leafKey: random(32) }, credential)).toBe(false);
});

test("does not survive a change of any byte, nor a longer or shorter signature", async () => {
  for (const i of credential.keys()) {
    const changed = credential.slice();
    changed[i] = (changed[i] ?? 0) ^ 1;
    expect(await verifyCredential({ room: ROOM, leafKey }, changed)).toBe(false);
  }
  expect(await verifyCredential({ room: ROOM, leafKey }, credential.slice(0, -1))).toBe(false);
  expect(await verifyCredential({ room: ROOM, leafKey }, Uint8Array.of(...credential, 0))).toBe(false);
});

test("any bytes are refused without a throw", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 125, maxLength: 133 }), async (bytes) => {
      if (bytes.length > 0) bytes[0] = 1;
      expect(await verifyCredential({ room: ROOM, leafKey }, bytes)).toBe(false);
    }),
  );
});

test("another version or length is none", () => {
  expect(parseCredential(Uint8Array.of(2, ...credential.subarray(1)))).toBeNull();
  expect(parseCredential(credential.subarray(1))).toBeNull();
  expect(parseCredential(Uint8Array.of(...credential, 0))).toBeNull();
});

test("two are of one seat with the same identity and the same seat only", () => {
  const claims = { identity: identity.publicKey, seat, ...validity };
  expect(sameSeat(claims, { ...claims, notAfter: 300n })).toBe(true);
  expect(sameSeat(claims, { ...claims, seat: random(16) })).toBe(false);
  expect(sameSeat(claims, { ...claims, identity: random(32) })).toBe(false);
});

test("what is signed is what PROTOCOL.md says", async () => {
  const message = Buffer.concat([
    Buffer.from("Sealcast credential\0"),
    Uint8Array.of(0, 22),
    Buffer.from(ROOM),
    leafKey,
    credential.subarray(0, -64),
  ]);
  expect(await verifyEd25519(identity.publicKey, message, credential.subarray(-64))).toBe(true);
  expect(credential).toHaveLength(129);
});

test("a key or a signature of another length verifies nothing", async () => {
  const message = new Uint8Array(3);
  const signature = await identity.sign(message);
  expect(await verifyEd25519(identity.publicKey, message, signature)).toBe(true);
  expect(await verifyEd25519(identity.publicKey.subarray(1), message, signature)).toBe(false);
  expect(await verifyEd25519(Uint8Array.of(...identity.publicKey, 0), message, signature)).toBe(false);
  expect(await verifyEd25519(identity.publicKey, message, signature.subarray(1))).toBe(false);
  expect(await verifyEd25519(identity.publicKey, message, Uint8Array.of(...signature, 0))).toBe(false);
});
