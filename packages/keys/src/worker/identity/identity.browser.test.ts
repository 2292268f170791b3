import { deleteDB } from "idb";
import { expect, test } from "vitest";
import { verifyEd25519 } from "./ed25519.ts";
import { indexedDbIdentityStore, openIdentity } from "./identity.ts";

test("a browser keeps one identity, also when two tabs make it at the same time", async () => {
  await deleteDB("sealcast-identity");
  const [one, two] = await Promise.all([
    openIdentity(indexedDbIdentityStore()),
    openIdentity(indexedDbIdentityStore()),
  ]);
  const later = await openIdentity(indexedDbIdentityStore());
  expect(two.publicKey).toEqual(one.publicKey);
  expect(later.publicKey).toEqual(one.publicKey);
  const message = new TextEncoder().encode("hello");
  expect(await verifyEd25519(one.publicKey, message, await later.sign(message))).toBe(true);
  const kept = await indexedDbIdentityStore().load();
  expect(kept?.privateKey.extractable).toBe(false);
});
