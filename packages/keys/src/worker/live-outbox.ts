import { toBase64url } from "@sealcast/bytes";
import { type Cancel, type Clock, milli } from "@sealcast/time";

/** Bodies in one message to the server: thousands of viewers are answered in a few messages a second. */
const MAX_ITEMS = 35;
/** Characters of bodies in one message; the server takes 262,144 for the whole. */
const MAX_SIZE = 192 * 1024;
const FLUSH_AFTER = milli(20);

interface Item {
  to: string;
  body: string;
}

/** What a host says to its viewers, gathered into messages to the server; what is for one viewer stays in order. */
export class LiveOutbox {
  readonly #clock: Clock;
  readonly #post: (items: Item[]) => void;
  #items: Item[] = [];
  #size = 0;
  #cancel: Cancel | null = null;

  constructor(clock: Clock, post: (items: Item[]) => void) {
    this.#clock = clock;
    this.#post = post;
  }

  push(to: string, bytes: Uint8Array): void {
    const body = toBase64url(bytes);
    if (this.#size + body.length > MAX_SIZE) this.flush();
    this.#items.push({ to, body });
    this.#size += body.length;
    if (this.#items.length === MAX_ITEMS) this.flush();
    else this.#cancel ??= this.#clock.after(FLUSH_AFTER, () => this.flush());
  }

  /** Sends what there is, now. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    const items = this.#items;
    this.#items = [];
    this.#size = 0;
    if (items.length > 0) this.#post(items);
  }
}
