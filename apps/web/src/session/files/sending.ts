import { type FileFailure, FileWorkError, fileChunks } from "@sealcast/media";
import { PART_BYTES } from "@sealcast/network";
import { newOffer } from "./details.ts";
import type { FileLink, FileWork } from "./file-link.ts";
import { canRun } from "./file-name.ts";
import type { FileOffer } from "./offer.ts";
import { SealedChunks } from "./sealed-chunks.ts";
import { type FilePerson, type FileState, isOpen, MAX_FILE_BYTES, MOST_OPEN_FILES, type SharedFile } from "./view.ts";
import { type FileWord, MOST_AHEAD, type StopReason } from "./words.ts";

/** One who asks for a file from the beginning more often wastes this person's bandwidth. */
export const MOST_RUNS = 500;
const CHUNK_PARTS = 8;

/** Someone to whom a file is offered. */
interface Reader {
  readonly identity: string;
  state: FileState;
  /** Where they asked; null where that is gone. */
  link: FileLink | null;
  slot: number;
  /** What goes there next. */
  chunk: number;
  part: number;
  /** The first chunk that they have not asked for. */
  upTo: number;
  runs: number;
}

interface SentOffer {
  readonly id: string;
  readonly file: File;
  readonly toAll: boolean;
  readonly sealed: string;
  readonly readers: Map<string, Reader>;
  readonly chunks: SealedChunks;
  isPaused: boolean;
  /** What this person, or their disk, ended it with. */
  ended: "cancelled" | "changed" | "gone" | null;
}

interface SendingParts {
  readonly worker: () => FileWork;
  nameOf(identity: string): string;
  /** To the group: one member by leaf key, or "all". */
  tell(to: string, offer: FileOffer): void;
  changed(): void;
}

const STOPPED: Readonly<Record<StopReason, FileState>> = {
  ...{ declined: "declined", cancelled: "cancelled-there", damaged: "damaged", full: "full" },
  ...{ unwritable: "unwritable", stopped: "stopped" },
};

/** Files that this person sends: each is read and sealed once for all, and goes to each as fast as their link takes it. */
export class SentFiles {
  readonly #parts: SendingParts;
  readonly #offers = new Map<string, SentOffer>();
  readonly #links = new Set<FileLink>();
  #turn = 0;

  constructor(parts: SendingParts) {
    this.#parts = parts;
  }

  get view(): SharedFile[] {
    return [...this.#offers.values()].map((offer) => ({
      ...{ id: offer.id, name: offer.file.name, size: offer.file.size, toAll: offer.toAll },
      ...{ canRun: canRun(offer.file.name), isSent: true, lacksSpace: false, isHere: false },
      people: [...offer.readers.values()].map((reader) => this.#shown(offer, reader)),
    }));
  }

  /** `recipients`: their identities. */
  async offer(file: File, to: string, recipients: readonly string[]): Promise<void> {
    const open = [...this.#offers.values()].filter(hasOpen).length;
    if (file.size > MAX_FILE_BYTES || open >= MOST_OPEN_FILES || recipients.length === 0) return;
    const { offer, sealed, baseKey } = await newOffer(file);
    const { id } = offer;
    const seal = (chunk: number) => this.#seal(id, chunk);
    const chunks = new SealedChunks(seal, () => this.pumpAll());
    const fresh = { state: "offered" as const, link: null, slot: -1, chunk: 0, part: 0, upTo: 0, runs: 0 };
    const readers = new Map(recipients.map((identity) => [identity, { identity, ...fresh }]));
    this.#offers.set(id, { id, file, toAll: to === "all", sealed, readers, chunks, isPaused: false, ended: null });
    this.#parts.worker().send(id, file, baseKey).catch(this.#failed(id));
    this.#parts.tell(to, offer);
    this.#parts.changed();
  }

  has(id: string): boolean {
    return this.#offers.has(id);
  }

  opened(link: FileLink): void {
    this.#links.add(link);
    for (const offer of this.#offers.values()) {
      if (!offer.readers.has(link.identity)) continue;
      if (offer.ended !== null) link.say({ type: "end", id: offer.id, why: offer.ended });
      else if (offer.isPaused) link.say({ type: "paused", id: offer.id, on: true });
    }
  }

  lost(link: FileLink): void {
    this.#links.delete(link);
    for (const reader of this.#readersOn(link)) reader.link = null;
  }

  /** Nobody of that identity is here any more. */
  left(isHere: (identity: string) => boolean): void {
    for (const offer of this.#offers.values())
      for (const reader of offer.readers.values())
        if (isOpen(reader.state) && !isHere(reader.identity)) this.#endReader(offer, reader, "left");
  }

  heard(link: FileLink, word: FileWord): void {
    const offer = this.#offers.get(word.id);
    const reader = offer?.readers.get(link.identity);
    if (offer === undefined || reader === undefined || offer.ended !== null || !isOpen(reader.state)) {
      // It may be another of their tabs, which does not know that they have it or declined it.
      if (word.type === "ask" || word.type === "want")
        link.say({ type: "end", id: word.id, why: offer?.ended ?? "gone" });
      return;
    }
    if (word.type === "ask") this.#explain(link, offer);
    else if (word.type === "want") this.#want(link, offer, reader, word);
    else if (word.type === "hold") reader.state = "paused-there";
    else if (word.type === "got") this.#endReader(offer, reader, "done");
    else if (word.type === "stop") this.#endReader(offer, reader, STOPPED[word.why]);
    this.#parts.changed();
  }

  pause(id: string, on: boolean): void {
    const offer = this.#offers.get(id);
    if (offer === undefined || offer.ended !== null) return;
    offer.isPaused = on;
    this.#tellReaders(offer, { type: "paused", id, on });
    this.pumpAll();
    this.#parts.changed();
  }

  cancel(id: string): void {
    this.#end(id, "cancelled", "cancelled-here");
  }

  dismiss(id: string): void {
    const offer = this.#offers.get(id);
    if (offer !== undefined && !hasOpen(offer)) this.#offers.delete(id);
  }

  /** Sends what there is room for, everywhere. */
  pumpAll(): void {
    for (const link of this.#links) this.pump(link);
  }

  /** Sends what there is room for on that link: chunk by chunk in turns, where several files go there. */
  pump(link: FileLink): void {
    while (link.hasRoom) {
      const going = this.#going(link);
      const next = going.find(({ sealed }) => sealed !== null);
      if (next === undefined || next.sealed === null) return;
      this.#sendPart(link, next.reader, next.sealed);
    }
  }

  /** Files of which something can go there, that whose turn it is first. */
  #going(link: FileLink) {
    const going = [...this.#offers.values()].flatMap((offer) => {
      const reader = offer.readers.get(link.identity);
      const isDue = reader?.link === link && reader.state === "going" && !offer.isPaused && reader.chunk < reader.upTo;
      return isDue ? [{ offer, reader }] : [];
    });
    const first = this.#turn % Math.max(1, going.length);
    return [...going.slice(first), ...going.slice(0, first)].map(({ offer, reader }) => {
      if (reader.chunk + 1 < reader.upTo) offer.chunks.prepare(reader.chunk + 1);
      return { reader, sealed: offer.chunks.at(reader.chunk) };
    });
  }

  #sendPart(link: FileLink, reader: Reader, sealed: Uint8Array): void {
    const at = reader.part * PART_BYTES;
    const bytes = sealed.subarray(at, at + PART_BYTES);
    link.send({ slot: reader.slot, chunk: reader.chunk, part: reader.part, bytes });
    reader.part++;
    if (at + bytes.length < sealed.length) return;
    reader.chunk++;
    reader.part = 0;
    this.#turn++;
    this.#parts.changed();
  }

  #explain(link: FileLink, { id, sealed, isPaused }: SentOffer): void {
    link.say({ type: "details", id, sealed });
    if (isPaused) link.say({ type: "paused", id, on: true });
  }

  #want(link: FileLink, offer: SentOffer, reader: Reader, want: Extract<FileWord, { type: "want" }>): void {
    const { slot, next, upTo } = want;
    if (next > upTo || upTo > fileChunks(offer.file.size) || upTo - next > MOST_AHEAD) return;
    // Another of their tabs has it already.
    if (reader.link !== null && reader.link !== link) return void link.say({ type: "end", id: offer.id, why: "gone" });
    reader.state = "going";
    if (reader.link !== link || reader.slot !== slot) {
      if (++reader.runs > MOST_RUNS) return this.#endReader(offer, reader, "stopped");
      Object.assign(reader, { link, slot, chunk: next, part: 0, upTo });
    }
    reader.upTo = Math.max(reader.upTo, upTo);
    this.pump(link);
  }

  async #seal(id: string, chunk: number): Promise<ArrayBuffer> {
    try {
      return await this.#parts.worker().seal(id, chunk);
    } catch (error) {
      this.#failed(id)(error);
      throw error;
    }
  }

  readonly #failed = (id: string) => (error: unknown) => {
    const failure: FileFailure = error instanceof FileWorkError ? error.failure : "stopped";
    if (failure === "changed") this.#end(id, "changed", "changed");
    else this.#end(id, "gone", "stopped");
  };

  #end(id: string, ended: NonNullable<SentOffer["ended"]>, state: FileState): void {
    const offer = this.#offers.get(id);
    if (offer === undefined || offer.ended !== null || !hasOpen(offer)) return;
    this.#tellReaders(offer, { type: "end", id, why: ended });
    offer.ended = ended;
    for (const reader of offer.readers.values()) if (isOpen(reader.state)) reader.state = state;
    this.#release(offer);
  }

  #endReader(offer: SentOffer, reader: Reader, state: FileState): void {
    reader.state = state;
    if (!hasOpen(offer)) this.#release(offer);
  }

  #release({ id }: SentOffer): void {
    void this.#parts
      .worker()
      .drop(id)
      .catch(() => undefined);
    this.#parts.changed();
  }

  #tellReaders(offer: SentOffer, word: FileWord): void {
    for (const link of this.#links) {
      const reader = offer.readers.get(link.identity);
      if (reader !== undefined && isOpen(reader.state)) link.say(word);
    }
  }

  #readersOn(link: FileLink): Reader[] {
    const readers = [...this.#offers.values()].flatMap((offer) => offer.readers.get(link.identity) ?? []);
    return readers.filter((reader) => reader.link === link);
  }

  #shown({ file, isPaused }: SentOffer, { identity, state, link, chunk, part }: Reader): FilePerson {
    const name = this.#parts.nameOf(identity);
    const parts = chunk * CHUNK_PARTS + part;
    const bytes = state === "done" ? file.size : Math.min(file.size, parts * PART_BYTES);
    if (!isOpen(state) || state === "offered") return { identity, name, state, bytes };
    const isLost = link === null || !link.isUp;
    return { identity, name, bytes, state: isPaused ? "paused-here" : isLost ? "waiting" : state };
  }
}

function hasOpen({ readers }: SentOffer): boolean {
  return [...readers.values()].some(({ state }) => isOpen(state));
}
