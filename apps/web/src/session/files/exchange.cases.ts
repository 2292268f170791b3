import { FileWorkError, fileChunkBytes } from "@sealcast/media";
import type { FilePart } from "@sealcast/network";
import type { FileLink, FileWork } from "./file-link.ts";
import type { FileOffer } from "./offer.ts";
import { ReceivedFiles } from "./receiving.ts";
import { SentFiles } from "./sending.ts";
import type { SharedFile } from "./view.ts";
import type { FileWord } from "./words.ts";

const TAG = 16;
const MOST_ON_THEIR_WAY = 8;

/** Stands for the worker: a sealed chunk is the chunk, and a tag that says which it is. */
class Work implements FileWork {
  readonly sent = new Map<string, File>();
  readonly received = new Map<string, { size: number; chunks: Uint8Array[] }>();
  readonly dropped: string[] = [];
  readonly sealed: number[] = [];
  /** What opening ends with from now on. */
  failure: FileWorkError["failure"] | null = null;
  hasChanged = false;
  /** The disk takes nothing until `go`. */
  isHeld = false;
  #waiting: (() => void)[] = [];

  go(): void {
    this.isHeld = false;
    for (const goOn of this.#waiting.splice(0)) goOn();
  }

  async send(id: string, file: File): Promise<void> {
    this.sent.set(id, file);
  }

  async seal(id: string, chunk: number): Promise<ArrayBuffer> {
    const file = this.sent.get(id);
    if (file === undefined || this.hasChanged) throw new FileWorkError("changed");
    this.sealed.push(chunk);
    const length = fileChunkBytes(file.size, chunk);
    const at = chunk * fileChunkBytes(Number.MAX_SAFE_INTEGER, 0);
    const sealed = new Uint8Array(length + TAG).fill(chunk % 256);
    sealed.set(new Uint8Array(await file.slice(at, at + length).arrayBuffer()));
    return sealed.buffer;
  }

  async receive(id: string, size: number): Promise<void> {
    this.received.set(id, { size, chunks: [] });
  }

  async open(id: string, chunk: number, sealed: ArrayBuffer): Promise<void> {
    if (this.isHeld) await new Promise<void>((goOn) => this.#waiting.push(goOn));
    if (this.failure !== null) throw new FileWorkError(this.failure);
    const bytes = new Uint8Array(sealed);
    if (bytes.at(-1) !== chunk % 256) throw new FileWorkError("damaged");
    this.received.get(id)?.chunks.push(bytes.slice(0, -TAG));
  }

  async finish(id: string): Promise<File | null> {
    return new File((this.received.get(id)?.chunks ?? []) as BlobPart[], id);
  }

  async drop(id: string): Promise<void> {
    this.dropped.push(id);
  }
}

/** Someone's page, as far as files go. */
export class Page {
  readonly name: string;
  readonly work = new Work();
  readonly offers: FileOffer[] = [];
  readonly sending: SentFiles;
  readonly receiving: ReceivedFiles;
  freeBytes = Number.MAX_SAFE_INTEGER;
  /** Parts that came and must not. */
  breaches = 0;
  /** What others are called now, by identity, where that is not the same. */
  readonly names = new Map<string, string>();

  constructor(name: string) {
    this.name = name;
    const nameOf = (identity: string) => this.names.get(identity) ?? identity;
    const shared = { worker: () => this.work, changed: () => undefined, nameOf };
    this.sending = new SentFiles({ ...shared, tell: (_, offer) => void this.offers.push(offer) });
    const place = async (name: string) => ({ type: "private", folder: {} as FileSystemDirectoryHandle, name }) as const;
    this.receiving = new ReceivedFiles({
      ...{ ...shared, place, remove: async () => undefined },
      freeBytes: async () => this.freeBytes,
    });
  }

  /** By what others know a file that this person offers. */
  inbox(id: string): string {
    return `${this.name}-${id}`;
  }

  /** The only file that is sent, or that is offered. */
  get sent(): SharedFile | undefined {
    return this.sending.view[0];
  }

  get received(): SharedFile | undefined {
    return this.receiving.view[0];
  }

  heard(link: FileLink, word: FileWord): void {
    if (word.type === "details" || word.type === "paused" || word.type === "end") this.receiving.heard(link, word);
    else this.sending.heard(link, word);
  }
}

/** One end of a connection between two pages. What is said or sent takes a while, and is lost when it is cut. */
class Way implements FileLink {
  readonly identity: string;
  readonly leafKeyId: string;
  readonly parts: FilePart[] = [];
  isUp = true;
  /** Done once this number of parts has arrived. */
  at = new Map<number, () => void>();
  #onTheirWay = 0;
  #arrived = 0;
  readonly #to: Page;
  back: Way | null = null;

  constructor(to: Page) {
    this.#to = to;
    this.identity = to.name;
    this.leafKeyId = to.name;
  }

  get hasRoom(): boolean {
    return this.isUp && this.#onTheirWay < MOST_ON_THEIR_WAY;
  }

  say(word: FileWord): boolean {
    this.#later((back) => this.#to.heard(back, word));
    return this.isUp;
  }

  send(part: FilePart): void {
    this.#onTheirWay++;
    this.parts.push(part);
    const kept = { ...part, bytes: part.bytes.slice() };
    this.#later((back) => {
      this.#onTheirWay--;
      if (!this.#to.receiving.part(back, kept)) this.#to.breaches++;
      this.at.get(++this.#arrived)?.();
      back.owner?.sending.pump(this);
    });
  }

  /** Whose end this is. */
  owner: Page | null = null;

  #later(deliver: (back: Way) => void): void {
    const { back } = this;
    setImmediate(() => this.isUp && back !== null && deliver(back));
  }
}

export interface Connection {
  /** That page's end. */
  readonly of: (page: Page) => Way;
  cut(): void;
}

export function connect(one: Page, other: Page): Connection {
  const [to, from] = [new Way(other), new Way(one)];
  [to.back, from.back] = [from, to];
  // What arrives at one end makes room at the other.
  [from.owner, to.owner] = [one, other];
  for (const [page, way] of [[one, to] as const, [other, from] as const]) {
    page.sending.opened(way);
    page.receiving.opened(way);
  }
  return {
    of: (page) => (page === one ? to : from),
    cut: () => {
      for (const [page, way] of [[one, to] as const, [other, from] as const]) {
        way.isUp = false;
        page.sending.lost(way);
        page.receiving.lost(way);
      }
    },
  };
}
