import { toBase64url } from "@sealcast/bytes";
import { atMostEvery, type Clock, milli } from "@sealcast/time";

/** Bodies in one message to the server: thousands of viewers are answered in a few messages a second. */
const MAX_ITEMS = 35;
/** Characters of bodies in one message; the server takes 262,144 for the whole. */
const MAX_SIZE = 192 * 1024;
const FLUSH_EVERY = milli(20);

interface Item {
  to: string;
  body: string;
}

/** What a host says to its viewers, gathered into messages to the server; what is for one viewer stays in order. */
export class LiveOutbox {
  readonly #post: (items: Item[]) => void;
  #items: Item[] = [];
  #size = 0;
  readonly #soon: () => void;

  constructor(clock: Clock, post: (items: Item[]) => void) {
    this.#post = post;
    this.#soon = atMostEvery(clock, FLUSH_EVERY, () => this.flush());
  }

  push(to: string, bytes: Uint8Array): void {
    const body = toBase64url(bytes);
    if (this.#size + body.length > MAX_SIZE) this.flush();
    this.#items.push({ to, body });
    this.#size += body.length;
    if (this.#items.length === MAX_ITEMS) this.flush();
    else this.#soon();
  }

  /** Sends what there is, now. */
  flush(): void {
    const items = this.#items;
    this.#items = [];
    this.#size = 0;
    if (items.length > 0) this.#post(items);
  }
}
