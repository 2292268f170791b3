import { beforeEach, expect, test, vi } from "vitest";
import { verifyEd25519 } from "./ed25519.ts";
import { type IdentityStore, indexedDbIdentityStore, openIdentity } from "./identity.ts";

/** What lies on the disk, by database and store; the real one is tried in identity.browser.test.ts. */
const disk = vi.hoisted(() => new Map<string, Map<string, CryptoKeyPair>>());

vi.mock("idb", () => ({
  openDB: async (database: string, _: number, { upgrade }: { upgrade(db: unknown): void }) => {
    upgrade({
      createObjectStore: (name: string) =>
        disk.has(`${database}/${name}`) || disk.set(`${database}/${name}`, new Map()),
    });
    const storeOf = (name: string) => disk.get(`${database}/${name}`) ?? expect.unreachable(name);
    return {
      get: async (name: string, key: string) => storeOf(name).get(key),
      transaction: (name: string, mode: string) => {
        expect(mode).toBe("readwrite");
        const store = storeOf(name);
        return {
          store: {
            get: async (key: string) => store.get(key),
            put: async (pair: CryptoKeyPair, key: string) => store.set(key, pair),
          },
          done: Promise.resolve(),
        };
      },
    };
  },
}));

beforeEach(() => disk.clear());

const newPair = () => crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]) as Promise<CryptoKeyPair>;

test("an identity is made once, signs, and no script can read its private half", async () => {
  const kept: CryptoKeyPair[] = [];
  const store: IdentityStore = {
    load: async () => kept[0],
    keep: async (pair) => {
      kept.push(pair);
      return pair;
    },
  };
  const [one, again] = [await openIdentity(store), await openIdentity(store)];
  expect(kept).toHaveLength(1);
  expect(kept[0]?.privateKey.extractable).toBe(false);
  expect(one.publicKey).toHaveLength(32);
  expect(again.publicKey).toEqual(one.publicKey);
  const message = new TextEncoder().encode("hello");
  expect(await verifyEd25519(one.publicKey, message, await again.sign(message))).toBe(true);
});

test("where another tab was faster its identity counts", async () => {
  const other = await newPair();
  const identity = await openIdentity({ load: async () => undefined, keep: async () => other });
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", other.publicKey));
  expect(identity.publicKey).toEqual(raw);
  const message = new TextEncoder().encode("hello");
  expect(await verifyEd25519(raw, message, await identity.sign(message))).toBe(true);
});

test("the store knows nothing at first, then the first pair that it was given, in its own place on the disk", async () => {
  const [first, second] = [await newPair(), await newPair()];
  const store = indexedDbIdentityStore();
  expect(await store.load()).toBeUndefined();
  expect(await store.keep(first)).toBe(first);
  expect(await indexedDbIdentityStore().keep(second)).toBe(first);
  expect(await store.load()).toBe(first);
  // Another name would be another identity for everybody who was here before.
  expect([...disk].map(([place, pairs]) => [place, [...pairs.keys()]])).toEqual([
    ["sealcast-identity/keys", ["identity"]],
  ]);
});
