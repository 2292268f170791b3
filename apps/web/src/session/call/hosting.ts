import type { Knocker, RoomMode } from "@sealcast/keys";
import type { Holding } from "./holding.ts";
import type { PostToKeys } from "./keys.ts";
import type { KnownPeers, ShownKnocker } from "./known-peers.ts";
import type { People } from "./people.ts";

export interface KnockersView {
  /** Who waits for this person's answer. */
  knockers: ShownKnocker[];
}

/** A host's. */
export interface HostingActions {
  /** Removes this person (by id), and replaces the link. */
  remove(id: string): void;
  /** Who can join from now on. */
  setMode(mode: RoomMode): void;
  /** This person (by id) is a host, too, from now on. */
  makeHost(id: string): void;
  /** Where there is another: this person is none any more. */
  stopHosting(): void;
  /** The answer to a knocker, by seat. */
  answer(seat: string, yes: boolean): void;
}

interface HostingOptions {
  people: People;
  holding: Holding;
  known(): KnownPeers | null;
  post: PostToKeys;
  show(change: KnockersView): void;
}

/** What hosts do, and who waits for their answer. */
export class Hosting {
  readonly actions: HostingActions = {
    remove: (id) => {
      const member = this.#options.people.member(id);
      if (member !== undefined) this.#options.post({ type: "remove", identity: member.identity });
    },
    setMode: (mode) => this.#options.post({ type: "mode", mode }),
    makeHost: (id) => {
      const identity = this.#options.people.member(id)?.identity;
      if (identity !== undefined) this.#setHosts([...this.#hosts.filter((host) => host !== identity), identity]);
    },
    stopHosting: () => this.#setHosts(this.#hosts.filter((host) => host !== this.#options.people.me?.identity)),
    answer: (seat, yes) => this.#options.post({ type: "admit", seat, yes }),
  };
  readonly #options: HostingOptions;
  #knockers: readonly Knocker[] = [];

  constructor(options: HostingOptions) {
    this.#options = options;
  }

  knocked(knockers: readonly Knocker[]): void {
    this.#knockers = knockers;
    this.show();
  }

  /** Who is here, or what is known of them, changed. */
  show(): void {
    const { people, known, show } = this.#options;
    show({ knockers: this.#knockers.flatMap((knocker) => known()?.knocking(knocker, people.roster) ?? []) });
  }

  get #hosts(): readonly string[] {
    return this.#options.holding.rules.hosts;
  }

  #setHosts(identities: readonly string[]): void {
    if (identities.length > 0) this.#options.post({ type: "hosts", identities });
  }
}
