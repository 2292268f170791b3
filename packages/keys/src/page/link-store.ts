import { fromBase64url, toBase64url, utf8 } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

const LIFE_MS = 24 * 60 * 60 * 1000;

interface Schema extends DBSchema {
  key: { key: "wrapping"; value: CryptoKey };
  links: { key: string; value: { nonce: Uint8Array<ArrayBuffer>; sealed: ArrayBuffer; expires: number } };
}

/**
 * Link secrets for reload and for copying the invite link: in IndexedDB, each sealed under a key that no script can
 * read, until forgotten or for 24 hours.
 */
export class LinkStore {
  readonly #database = openDB<Schema>("sealcast-links", 1, {
    upgrade(db) {
      db.createObjectStore("key");
      db.createObjectStore("links");
    },
  });

  /** `secret` as base64url, as newLink gives it. */
  async keep(room: string, secret: string): Promise<void> {
    const bytes = fromBase64url(secret);
    if (bytes === null) throw new TypeError("a link secret is base64url");
    const database = await this.#database;
    await dropExpired(database);
    const key = await wrappingKey(database);
    const nonce = random(12);
    const sealed = await crypto.subtle.encrypt(parameters(nonce, room), key, bytes);
    await database.put("links", { nonce, sealed, expires: Date.now() + LIFE_MS }, room);
  }

  /** Null: never kept, forgotten, too old, or no longer readable. */
  async recall(room: string): Promise<string | null> {
    const database = await this.#database;
    await dropExpired(database);
    const link = await database.get("links", room);
    if (link === undefined) return null;
    const key = await wrappingKey(database);
    try {
      return toBase64url(new Uint8Array(await crypto.subtle.decrypt(parameters(link.nonce, room), key, link.sealed)));
    } catch {
      return null;
    }
  }

  async forget(room: string): Promise<void> {
    await (await this.#database).delete("links", room);
  }
}

async function dropExpired(database: IDBPDatabase<Schema>): Promise<void> {
  const transaction = database.transaction("links", "readwrite");
  for await (const cursor of transaction.store) {
    if (cursor.value.expires < Date.now()) await cursor.delete();
  }
  await transaction.done;
}

function parameters(iv: Uint8Array<ArrayBuffer>, room: string): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: utf8(room) };
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
