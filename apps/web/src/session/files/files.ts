import type { GroupMember } from "@sealcast/keys";
import type { FileEvents } from "@sealcast/network";
import type { Peer } from "../call/peer.ts";
import type { People } from "../call/people.ts";
import { toJson } from "../json.ts";
import type { Lifetime } from "../lifetime.ts";
import type { FileLink } from "./file-link.ts";
import { removeLeftovers } from "./leftovers.ts";
import type { FileOffer } from "./offer.ts";
import type { Transfers } from "./transfers.ts";
import type { FilesActions, FilesView } from "./view.ts";

interface FilesOptions {
  people: People;
  tell(to: string, offer: FileOffer): void;
  show(change: FilesView): void;
}

/** Files in a call, sent and received. What it takes is loaded with the first one. */
export class Files {
  readonly actions: FilesActions;
  readonly #life: Lifetime;
  readonly #options: FilesOptions;
  #loading: Promise<Transfers> | null = null;
  #transfers: Transfers | null = null;

  constructor(life: Lifetime, options: FilesOptions) {
    this.#life = life;
    this.#options = options;
    this.actions = {
      sendFiles: (files, to) => void this.#send(files, to),
      saveFile: (id) => void this.#transfers?.receiving.save(id),
      declineFile: (id) => this.#transfers?.receiving.decline(id),
      pauseFile: (id, on) => this.#with(id, (one) => one.pause(id, on)),
      cancelFile: (id) => this.#with(id, (one) => one.cancel(id)),
      dismissFile: (id) => this.#with(id, (one) => one.dismiss(id)),
      receivedFile: (id) => this.#transfers?.receiving.file(id) ?? null,
    };
    void removeLeftovers();
  }

  /** What that member's link says of files. */
  eventsOf(leafKeyId: string): FileEvents {
    return {
      opened: () => this.#opened(leafKeyId),
      word: (body) => this.#transfers?.word(leafKeyId, body),
      part: (part) => this.#transfers?.part(leafKeyId, part) ?? false,
      ready: () => this.#transfers?.ready(leafKeyId),
    };
  }

  /** That member offers one, inside the group. */
  async offered({ identity }: GroupMember, offer: FileOffer): Promise<void> {
    (await this.#load()).receiving.offered(identity, offer);
  }

  /** A connection came, was lost, or is back; or people are called something else. */
  changed(): void {
    this.#transfers?.changed();
  }

  /** There is no connection to that member any more. `forGood`: nor will there be. */
  lost(leafKeyId: string, forGood: boolean): void {
    this.#transfers?.lost(leafKeyId, forGood);
  }

  async #send(files: readonly File[], to: string): Promise<void> {
    const all = [...this.#options.people.peers].filter(
      ([id, { media }]) => media.isLinked && (to === "all" || to === id),
    );
    const recipients = all.map(([, { member }]) => member.identity);
    (await this.#load()).offer(files, to, recipients);
  }

  #with(id: string, act: (one: Transfers["sending"] | Transfers["receiving"]) => void): void {
    const transfers = this.#transfers;
    if (transfers === null) return;
    act(transfers.sending.has(id) ? transfers.sending : transfers.receiving);
    transfers.show();
  }

  #load(): Promise<Transfers> {
    this.#loading ??= import("./transfers.ts").then(({ Transfers }) => {
      if (this.#life.isOver) throw new Error("The call is over.");
      const { tell, people, show } = this.#options;
      const isHere = (identity: string) =>
        [...people.peers.values()].some(({ member, media }) => member.identity === identity && media.isLinked);
      const nameOf = (identity: string) => people.nameOf(identity);
      this.#transfers = new Transfers({ life: this.#life, tell, isHere, nameOf, show: (files) => show({ files }) });
      for (const leafKeyId of people.peers.keys()) this.#opened(leafKeyId);
      return this.#transfers;
    });
    this.#loading.catch(() => {
      // The next file tries again.
      this.#loading = null;
    });
    return this.#loading;
  }

  #opened(leafKeyId: string): void {
    const peer = this.#options.people.peers.get(leafKeyId);
    if (peer?.link.files?.isOpen) this.#transfers?.opened(linkOf(peer));
  }
}

function linkOf(peer: Peer): FileLink {
  const { files } = peer.link;
  return {
    identity: peer.member.identity,
    leafKeyId: peer.member.leafKeyId,
    get isUp() {
      return peer.state === "connected";
    },
    get hasRoom() {
      return !peer.media.isHeld && files?.hasRoom === true;
    },
    say: (word) => !peer.media.isHeld && files?.say(toJson(word)) === true,
    send: (part) => files?.send(part),
  };
}
