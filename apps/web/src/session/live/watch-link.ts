import { LinkStore, parseLiveLink } from "@sealcast/keys";
import { watchPath } from "../link.ts";

type LinkRead = Awaited<ReturnType<typeof parseLiveLink>>;

/** The link of one stream at one who watches: what the stream is found with now, and what is kept of it for a reload. */
export class WatchLink {
  readonly #room: string;
  readonly #kept = new LinkStore();
  #fragment = "";

  constructor(room: string) {
    this.#room = room;
  }

  /** What the address's fragment says, or after a reload, where it is "", what was kept. */
  async read(fragment: string): Promise<LinkRead> {
    const said = fragment === "" ? ((await this.#kept.recall(this.#room).catch(() => null)) ?? "") : fragment;
    // Rejects where the browser lacks what it takes to read a link.
    const link = await parseLiveLink(this.#room, said).catch(() => ({ ok: false, why: "damaged" }) as const);
    if (link.ok) this.#fragment = said;
    return link;
  }

  /** For the next load of this page. Resolves also where the browser keeps nothing. */
  async keep(): Promise<void> {
    await this.#kept.keep(this.#room, this.#fragment).catch(() => undefined);
  }

  /** For others. */
  get address(): string {
    return location.origin + watchPath(this.#room, this.#fragment);
  }
}
