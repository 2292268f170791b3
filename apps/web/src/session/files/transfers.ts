import { FileWorker } from "@sealcast/media";
import type { FilePart } from "@sealcast/network";
import { atMostEvery, milli } from "@sealcast/time";
import type { Lifetime } from "../lifetime.ts";
import { freeBytes } from "../vault/free-bytes.ts";
import { spawnFileWorker } from "../workers.ts";
import type { FileLink } from "./file-link.ts";
import type { FileOffer } from "./offer.ts";
import { PrivateFolder } from "./private-folder.ts";
import { ReceivedFiles } from "./receiving.ts";
import { chosenPlace } from "./saving.ts";
import { SentFiles } from "./sending.ts";
import type { SharedFile } from "./view.ts";
import { parseFileWord } from "./words.ts";

/** Between two looks of the screen at how far files are. */
const SHOW_EVERY = milli(250);
const REMIND_EVERY = milli(5_000);
/** Who is gone for so long is not waited for: a train is out of most tunnels, and a member who joins afresh is back sooner. */
const AWAY = milli(60_000);

export interface TransferParts {
  readonly life: Lifetime;
  tell(to: string, offer: FileOffer): void;
  /** Someone of that identity is in the call, and this page is connected to them or about to be. */
  isHere(identity: string): boolean;
  /** As they show now, or showed last. */
  nameOf(identity: string): string;
  show(files: SharedFile[]): void;
}

/** All files of a call, on their way out and in. Loaded with the first one. */
export class Transfers {
  readonly sending: SentFiles;
  readonly receiving: ReceivedFiles;
  /** Something that shows with a file may be another: how far it is, or how its connection stands. */
  readonly changed: () => void;
  readonly #parts: TransferParts;
  readonly #folder: PrivateFolder;
  readonly #links = new Map<string, FileLink>();
  #worker: FileWorker | null = null;

  constructor(parts: TransferParts) {
    this.#parts = parts;
    const { life } = parts;
    this.#folder = new PrivateFolder(life.clock);
    const worker = () => {
      this.#worker ??= new FileWorker(spawnFileWorker);
      return this.#worker;
    };
    this.changed = atMostEvery(life.clock, SHOW_EVERY, () => this.show());
    const shared = { worker, changed: this.changed, nameOf: (identity: string) => parts.nameOf(identity) };
    this.sending = new SentFiles({ ...shared, tell: (to, offer) => parts.tell(to, offer) });
    this.receiving = new ReceivedFiles({
      ...{ ...shared, freeBytes },
      place: async (id, name) => {
        const chosen = await chosenPlace(name);
        return chosen === "unsupported" ? this.#folder.place(id) : chosen;
      },
      remove: (id) => this.#folder.remove(id),
    });
    life.every(REMIND_EVERY, () => this.#remind());
    life.bind(() => this.#close());
  }

  /** `recipients`: their identities. */
  offer(files: readonly File[], to: string, recipients: readonly string[]): void {
    for (const file of files) void this.sending.offer(file, to, recipients);
  }

  opened(link: FileLink): void {
    this.lost(link.leafKeyId);
    this.#links.set(link.leafKeyId, link);
    this.sending.opened(link);
    this.receiving.opened(link);
    this.show();
  }

  /** The connection to that member is gone; `forGood`: they have left, were removed, or lost it for what their app does. */
  lost(leafKeyId: string, forGood = false): void {
    const link = this.#links.get(leafKeyId);
    if (link !== undefined) {
      this.#links.delete(leafKeyId);
      this.sending.lost(link);
      this.receiving.lost(link);
    }
    if (forGood) this.#sweep();
    else this.#parts.life.after(AWAY, () => this.#sweep());
  }

  word(leafKeyId: string, body: Uint8Array): void {
    const [link, word] = [this.#links.get(leafKeyId), parseFileWord(body)];
    if (link === undefined || word === null) return;
    if (word.type === "details" || word.type === "paused" || word.type === "end") this.receiving.heard(link, word);
    else this.sending.heard(link, word);
  }

  /** False: it was not asked for. */
  part(leafKeyId: string, part: FilePart): boolean {
    const link = this.#links.get(leafKeyId);
    return link !== undefined && this.receiving.part(link, part);
  }

  ready(leafKeyId: string): void {
    const link = this.#links.get(leafKeyId);
    if (link !== undefined) this.sending.pump(link);
  }

  show(): void {
    this.#parts.show([...this.receiving.view, ...this.sending.view]);
  }

  #sweep(): void {
    const isHere = (identity: string) => this.#parts.isHere(identity);
    this.sending.left(isHere);
    this.receiving.left(isHere);
    this.show();
  }

  #remind(): void {
    this.receiving.remind();
    this.sending.pumpAll();
    this.show();
  }

  #close(): void {
    const isWhole = this.receiving.view.some(({ isHere }) => isHere);
    this.#worker?.close();
    void this.#folder.close(isWhole);
  }
}
