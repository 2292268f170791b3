import { toHex } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import type { KeyPackage } from "ts-mls";
import { encodeKeyPackage, signKeyPackage } from "ts-mls/keyPackage.js";
import { signLeafNodeKeyPackage } from "ts-mls/leafNode.js";
import { expect, test } from "vitest";
import { issueCredential } from "../identity/credential.ts";
import { encodeName, NAME_EXTENSION } from "../identity/leaf-name.ts";
import { newIdentity, newMembership, ROOM, unusable } from "../room/room.cases.ts";
import { type Membership, makeKeyPackage, readApplication } from "./key-package.ts";
import { NEW_LINK, ROOM_EXTENSION } from "./room-state.ts";
import { mlsSuite } from "./suite.ts";

const suite = await mlsSuite();
const reader = await newMembership(random(32), { seconds: () => BigInt(Math.floor(Date.now() / 1000)) });
const membership = await newMembership(random(32));
const own = await makeKeyPackage(membership);
const { publicPackage, privatePackage } = own;

const read = (bytes: Uint8Array) => readApplication(reader, bytes);
const readPackage = (changed: KeyPackage) => read(encodeKeyPackage(changed));
const signed = (changed: KeyPackage) => signKeyPackage(changed, privatePackage.signaturePrivateKey, suite.signature);

async function withLeaf(changes: Partial<KeyPackage["leafNode"]>): Promise<KeyPackage> {
  const leaf = { ...publicPackage.leafNode, ...changes };
  const leafNode = await signLeafNodeKeyPackage(leaf, privatePackage.signaturePrivateKey, suite.signature);
  return signed({ ...publicPackage, leafNode });
}

test("an application says who applies, by the credential", async () => {
  const identity = toHex(membership.identity.publicKey);
  expect(await read(encodeKeyPackage(own.publicPackage))).toEqual({
    keyPackage: publicPackage,
    seat: identity + toHex(membership.seat),
    identity,
    name: "Ada",
  });
  expect(await readPackage(await withLeaf({}))).toMatchObject({ identity });
});

test("a key package says what this application can do, and reaches a day to both sides of now", async () => {
  const { leafNode } = (await makeKeyPackage({ ...membership, seconds: () => 1_000_000n })).publicPackage;
  expect(leafNode.capabilities).toEqual({
    versions: ["mls10"],
    ciphersuites: ["MLS_256_XWING_AES256GCM_SHA512_Ed25519"],
    extensions: [ROOM_EXTENSION, NAME_EXTENSION],
    proposals: [NEW_LINK.proposalType],
    credentials: ["basic"],
  });
  expect(leafNode.lifetime).toEqual({ notBefore: 913_600n, notAfter: 1_086_400n });
  const late: Membership = { ...reader, seconds: () => 1_086_401n };
  const old = await makeKeyPackage({ ...membership, seconds: () => 1_000_000n });
  expect(
    await readApplication({ ...reader, seconds: () => 1_086_400n }, encodeKeyPackage(old.publicPackage)),
  ).not.toBeNull();
  expect(await readApplication(late, encodeKeyPackage(old.publicPackage))).toBeNull();
});

test("bytes after the key package, or too few of it, are refused", async () => {
  const encoded = encodeKeyPackage(own.publicPackage);
  expect(await read(Uint8Array.of(...encoded, 0))).toBeNull();
  expect(await read(encoded.subarray(0, -1))).toBeNull();
});

test("a signature that does not hold is refused: of the key package, of the leaf, of the credential", async () => {
  expect(await readPackage({ ...publicPackage, signature: random(64) })).toBeNull();
  const leafNode = { ...publicPackage.leafNode, signature: random(64) };
  expect(await readPackage(await signed({ ...publicPackage, leafNode }))).toBeNull();

  const validity = { notBefore: 0n, notAfter: 1n << 40n };
  const credentialFor = async (room: string, leafKey: Uint8Array) => ({
    credentialType: "basic" as const,
    identity: await issueCredential(await newIdentity(), { room, leafKey }, random(16), validity),
  });
  const leafKey = publicPackage.leafNode.signaturePublicKey;
  const read = async (room: string, key: Uint8Array) =>
    readPackage(await withLeaf({ credential: await credentialFor(room, key) }));
  expect(await read(ROOM, leafKey)).not.toBeNull();
  expect(await read("BAAAAAAAAAAAAAAAAAAAAA", leafKey)).toBeNull();
  expect(await read(ROOM, random(32))).toBeNull();
});

test("a key to which nothing can be sealed is refused: of a wrong length, not reduced, or of low order", async () => {
  for (const key of unusable(publicPackage.initKey)) {
    expect(await readPackage(await signed({ ...publicPackage, initKey: key }))).toBeNull();
    expect(await readPackage(await withLeaf({ hpkePublicKey: key }))).toBeNull();
  }
});

test("another suite, other extensions or another kind of credential are refused", async () => {
  const other = "MLS_256_XWING_CHACHA20POLY1305_SHA512_Ed25519";
  expect(await readPackage(await signed({ ...publicPackage, cipherSuite: other }))).toBeNull();
  const extensions = [{ extensionType: ROOM_EXTENSION, extensionData: new Uint8Array() }];
  expect(await readPackage(await signed({ ...publicPackage, extensions }))).toBeNull();
  expect(await readPackage(await withLeaf({ extensions: [encodeName("Bo")] }))).toMatchObject({ name: "Bo" });
  expect(await readPackage(await withLeaf({ extensions }))).toBeNull();
  expect(await readPackage(await withLeaf({ extensions: [] }))).toBeNull();
  expect(await readPackage(await withLeaf({ extensions: [encodeName("Bo"), ...extensions] }))).toBeNull();
  expect(await readPackage(await withLeaf({ credential: { credentialType: "x509", certificates: [] } }))).toBeNull();
  const basic = { credentialType: "basic", identity: random(129) } as const;
  expect(await readPackage(await withLeaf({ credential: basic }))).toBeNull();
});
