import { type DBSchema, openDB } from "idb";

/** A person's long-term Ed25519 key in this browser. The private half cannot be read by any script. */
export interface Identity {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** Where the identity's keys lie between visits. */
export interface IdentityStore {
  load(): Promise<CryptoKeyPair | undefined>;
  /** Keeps `pair` unless there is one already; resolves to the one that is kept. */
  keep(pair: CryptoKeyPair): Promise<CryptoKeyPair>;
}

/** This browser's identity, made on first use. Rejects when the store cannot be read or written. */
export async function openIdentity(store: IdentityStore): Promise<Identity> {
  const pair =
    (await store.load()) ?? (await store.keep(await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"])));
  return {
    publicKey: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)),
    sign: async (message) =>
      new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, new Uint8Array(message))),
  };
}

interface Schema extends DBSchema {
  keys: { key: "identity"; value: CryptoKeyPair };
}

/** The identity store of this browser profile. */
export function indexedDbIdentityStore(): IdentityStore {
  const database = openDB<Schema>("sealcast-identity", 1, {
    upgrade: (db) => void db.createObjectStore("keys"),
  });
  return {
    load: async () => (await database).get("keys", "identity"),
    async keep(pair) {
      // One transaction: of two tabs that open for the first time together, both get the same key.
      const transaction = (await database).transaction("keys", "readwrite");
      const kept = await transaction.store.get("identity");
      if (kept === undefined) await transaction.store.put(pair, "identity");
      await transaction.done;
      return kept ?? pair;
    },
  };
}
