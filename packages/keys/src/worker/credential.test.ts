import { random } from "@sealcast/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { issueCredential, isValidAt, parseCredential, verifyCredential } from "./credential.ts";
import { newIdentity, ROOM } from "./room.cases.ts";

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
