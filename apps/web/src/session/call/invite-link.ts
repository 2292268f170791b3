import { type LayerCount, LinkStore, laterFragment, parseLink } from "@sealcast/keys";
import { callPath } from "../link.ts";

/** The link of one call: with what it is joined now, what is kept of it for a reload, and what others are invited with. */
export class InviteLink {
  readonly #room: string;
  readonly #kept = new LinkStore();
  #fragment: string | null = null;

  constructor(room: string) {
    this.#room = room;
  }

  /** What the address's fragment says, or after a reload, where it is "", what was kept. */
  async read(fragment: string): ReturnType<typeof parseLink> {
    const said = fragment === "" ? await this.#kept.recall(this.#room) : fragment;
    const link = await parseLink(this.#room, said ?? "");
    if (link.ok) this.#fragment = said;
    return link;
  }

  /** Whether there is a link to join with. */
  get isWhole(): boolean {
    return this.#fragment !== null;
  }

  /** For the next load of this page. */
  async keep(): Promise<void> {
    if (this.#fragment !== null) await this.#kept.keep(this.#room, this.#fragment);
  }

  forget(): void {
    void this.#kept.forget(this.#room);
  }

  /** From now on this is the secret that admits: to be copied, and to come back with after a reload. */
  async replace(layers: LayerCount, secret: Uint8Array): Promise<void> {
    this.#fragment = await laterFragment(this.#room, layers, secret);
    await this.keep();
  }

  /** The full link, secret included: to be copied, never shown or logged. "" before there is one. */
  get address(): string {
    return this.#fragment === null ? "" : location.origin + callPath(this.#room, this.#fragment);
  }
}
