import { LinkStore } from "@sealcast/keys";

/** The link of one room: its secret part now, and what this browser keeps of it for a reload. */
export class KeptLink {
  readonly #room: string;
  readonly #store = new LinkStore();
  #fragment = "";

  constructor(room: string) {
    this.#room = room;
  }

  /** What the address's fragment says, or after a reload, where it is "", what was kept; "" where nothing was. */
  async recall(said: string): Promise<string> {
    return said === "" ? ((await this.#store.recall(this.#room)) ?? "") : said;
  }

  /** From now on this is the link. */
  set(fragment: string): void {
    this.#fragment = fragment;
  }

  get isSet(): boolean {
    return this.#fragment !== "";
  }

  /** For the next load of this page. */
  keep(): Promise<void> {
    return this.#store.keep(this.#room, this.#fragment);
  }

  /** From now on it is that one: to be copied, and to come back with. */
  async replace(later: Promise<string>): Promise<void> {
    this.set(await later);
    await this.keep();
  }

  forget(): void {
    void this.#store.forget(this.#room);
  }

  /** The full link, secret included: to be copied, never shown or logged. "" before there is one. */
  address(path: (room: string, fragment: string) => string): string {
    return this.isSet ? location.origin + path(this.#room, this.#fragment) : "";
  }
}
