import type { Down } from "@sealcast/protocol";
import type { Allowance, AllowanceShare } from "../sockets/allowance.ts";

/** Enough for the 60 s in which a session may resume. */
const MAX_ENTRIES = 256;
/** In characters. A replay of the whole journal stays below the backlog at which a socket counts as too slow. */
const MAX_SIZE = 768 * 1024;

/** Messages that are numbered by the room, and so can be replayed. */
export type Numbered = Exclude<Extract<Down, { seq: number }>, { type: "joined" }>;

/** What the journal keeps at each reader. */
export interface Reader {
  /** Number of the latest entry for this reader that the journal no longer holds; 0 for none. */
  lost: number;
}

interface Entry<R> {
  readonly seq: number;
  readonly text: string;
  readonly to: readonly R[];
}

/** A room's one order: the latest messages, each written once, with those it was for. */
export class Journal<R extends Reader> {
  readonly #share: AllowanceShare;
  #seq = 0;
  readonly #entries: Entry<R>[] = [];

  constructor(allowance: Allowance) {
    this.#share = allowance.share(() => this.#dropOldest());
  }

  /** Number of the latest entry. */
  get seq(): number {
    return this.#seq;
  }

  append(to: readonly R[], message: (seq: number) => Numbered): string {
    this.#seq++;
    const text = JSON.stringify(message(this.#seq));
    this.#entries.push({ seq: this.#seq, text, to });
    this.#share.use(text.length);
    while (this.#entries.length > MAX_ENTRIES || this.#share.size > MAX_SIZE) this.#dropOldest();
    return text;
  }

  /** Keeps nothing any more. */
  clear(): void {
    while (this.#entries.length > 0) this.#dropOldest();
  }

  /** What was for `reader` after number `seq`, in order; null when some of it is lost. */
  since(seq: number, reader: R): string[] | null {
    if (seq < reader.lost || seq > this.#seq) return null;
    return this.#entries.filter((entry) => entry.seq > seq && entry.to.includes(reader)).map((entry) => entry.text);
  }

  #dropOldest(): void {
    const entry = this.#entries.shift();
    if (!entry) return;
    this.#share.use(-entry.text.length);
    for (const reader of entry.to) reader.lost = entry.seq;
  }
}
