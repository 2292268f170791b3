import { fromBase64url, toBase64url } from "@sealcast/bytes";
import { SealedStore } from "./sealed-store.ts";

const LIFE_MS = 24 * 60 * 60 * 1000;

/** Link secrets for reload and for copying the invite link, by room: until forgotten or for 24 hours. */
export class LinkStore {
  readonly #store = new SealedStore("sealcast-links");

  /** `secret` as base64url, as newLink gives it. */
  async keep(room: string, secret: string): Promise<void> {
    const bytes = fromBase64url(secret);
    if (bytes === null) throw new TypeError("a link secret is base64url");
    await this.#store.keep(room, bytes, Date.now() + LIFE_MS);
  }

  /** Null: never kept, forgotten, too old, or no longer readable. */
  async recall(room: string): Promise<string | null> {
    const bytes = await this.#store.recall(room);
    return bytes && toBase64url(bytes);
  }

  forget(room: string): Promise<void> {
    return this.#store.forget(room);
  }
}
