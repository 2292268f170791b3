import { utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

/** Version 1 kept links in a store of their own: they lived for a day. */
const VERSION = 2;

/** The databases. Each use has its own. */
const STORES = [
  "sealcast-links",
  "sealcast-people",
  "sealcast-live-hosts",
  "sealcast-live-viewers",
  "sealcast-live-about",
] as const;

/** A value on the disk. */
interface Sealed {
  nonce: Uint8Array<ArrayBuffer>;
  sealed: ArrayBuffer;
  /** Milliseconds since 1970; Infinity where it stays until it is deleted. */
  expires: number;
}

interface Schema extends DBSchema {
  key: { key: "wrapping"; value: CryptoKey };
  values: { key: string; value: Sealed };
}

/**
 * Small values in IndexedDB, each sealed with AES-256-GCM under a key that no script can read and bound to its name. What
 * has expired, or cannot be opened any more, is not there.
 */
export class SealedStore {
  readonly #database: Promise<IDBPDatabase<Schema>>;

  constructor(name: (typeof STORES)[number]) {
    this.#database = opened(name);
  }

  async keep(name: string, value: Uint8Array<ArrayBuffer>, expires: number): Promise<void> {
    const database = await this.#database;
    await dropExpired(database);
    const key = await wrappingKey(database);
    const nonce = random(12);
    const sealed = await crypto.subtle.encrypt(parameters(nonce, name), key, value);
    await database.put("values", { nonce, sealed, expires }, name);
  }

  async recall(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const database = await this.#database;
    const value = await database.get("values", name);
    // Who opens a stream waits for what is recalled, not for what is dropped.
    void dropExpired(database).catch(() => undefined);
    if (value === undefined || value.expires < Date.now()) return null;
    const key = await wrappingKey(database);
    try {
      return new Uint8Array(await crypto.subtle.decrypt(parameters(value.nonce, name), key, value.sealed));
    } catch {
      return null;
    }
  }

  async forget(name: string): Promise<void> {
    await (await this.#database).delete("values", name);
  }
}

/** Deletes what has expired in any store of this browser. A store that was never used is not made. */
export async function dropAllExpired(): Promise<void> {
  const made = new Set((await indexedDB.databases()).map(({ name }) => name));
  for (const name of STORES) {
    if (!made.has(name)) continue;
    const database = await opened(name);
    await dropExpired(database);
    database.close();
  }
}

function opened(name: (typeof STORES)[number]): Promise<IDBPDatabase<Schema>> {
  return openDB<Schema>(name, VERSION, {
    upgrade(db) {
      for (const store of ["key", "values"] as const)
        if (!db.objectStoreNames.contains(store)) db.createObjectStore(store);
    },
  });
}

async function dropExpired(database: IDBPDatabase<Schema>): Promise<void> {
  const transaction = database.transaction("values", "readwrite");
  for await (const cursor of transaction.store) {
    if (cursor.value.expires < Date.now()) await cursor.delete();
  }
  await transaction.done;
}

function parameters(iv: Uint8Array<ArrayBuffer>, name: string): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: utf8(name) };
}

async function wrappingKey(database: IDBPDatabase<Schema>): Promise<CryptoKey> {
  const made = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  // One transaction: of two tabs, both get the same key.
  const transaction = database.transaction("key", "readwrite");
  const kept = await transaction.store.get("wrapping");
  if (kept === undefined) await transaction.store.put(made, "wrapping");
  await transaction.done;
  return kept ?? made;
}
