import { type FilePlace, FileWorkError, fileChunkBytes, fileChunks } from "@sealcast/media";
import type { FilePart } from "@sealcast/network";
import { type Opened, openDetails } from "./details.ts";
import type { FileLink, FileWork } from "./file-link.ts";
import { canRun } from "./file-name.ts";
import type { FileOffer } from "./offer.ts";
import { Run } from "./run.ts";
import { type FileState, isOpen, MOST_OPEN_FILES, type SharedFile } from "./view.ts";
import { AHEAD, type FileWord, type StopReason } from "./words.ts";

/** More is asked for once this number of chunks can be: a word for each would be many. */
const ASK_AFTER = AHEAD / 4;
/** Ended ones that stay listed, of one sender; and of all: beyond that the oldest goes of the sender who has most. */
const MOST_ENDED_OF_ONE = 30;
const MOST_ENDED = 60;
const SLOTS = 0x1_0000;

interface ReceivedOffer {
  /** Of the sender and the offer: nobody takes the place of another's. */
  readonly key: string;
  readonly offer: FileOffer;
  /** The sender's identity. */
  readonly from: string;
  /** Null until the sender has said what it is. */
  details: Opened | null;
  state: FileState;
  isPausedThere: boolean;
  /** The browser asks the person where it is to go. */
  isPlaced: boolean;
  lacksSpace: boolean;
  /** Of the sender's pages, those that know nothing of it. */
  readonly strangers: Set<FileLink>;
  /** What it comes by now; null while it does not come. */
  run: { link: FileLink; slot: number; run: Run } | null;
  /** Chunks that came whole, and those of them that are written. */
  came: number;
  written: number;
  /** Said to the sender once more when they are back. */
  last: FileWord | null;
  file: File | null;
}

interface ReceivingParts {
  readonly worker: () => FileWork;
  nameOf(identity: string): string;
  /** Where a file of that name is to go, which the person chooses where the browser lets them. Null: they chose none. */
  place(id: string, name: string): Promise<FilePlace | null>;
  /** Bytes that can be stored besides. */
  freeBytes(): Promise<number>;
  /** Takes a file out of the private file system. */
  remove(id: string): Promise<void>;
  changed(): void;
}

/** Files that others offer: nothing of one comes before the person has said that they save it. */
export class ReceivedFiles {
  readonly #parts: ReceivingParts;
  readonly #offers = new Map<string, ReceivedOffer>();
  /** By link: what was asked for there, by its number. Of what is not wanted any more, parts may be on their way. */
  readonly #runs = new Map<FileLink, Map<number, Run>>();
  #slots = 0;

  constructor(parts: ReceivingParts) {
    this.#parts = parts;
  }

  get view(): SharedFile[] {
    return [...this.#offers.values()].flatMap(({ details, ...offer }) => {
      if (details === null) return [];
      const { name, size } = details;
      const from = { identity: offer.from, name: this.#parts.nameOf(offer.from) };
      const person = { ...from, state: stateOf(offer), bytes: bytesOf(offer.written, size) };
      return {
        ...{ id: offer.key, name, size, canRun: canRun(name), isSent: false, toAll: false },
        ...{ people: [person], lacksSpace: offer.lacksSpace, isHere: offer.file !== null },
      };
    });
  }

  /** Someone of that identity offers a file, inside the group. */
  offered(from: string, offer: FileOffer): void {
    const key = keyOf(from, offer.id);
    if (this.#offers.has(key) || this.#openOf(from).length >= MOST_OPEN_FILES) return;
    const fresh = {
      details: null,
      state: "offered" as const,
      isPausedThere: false,
      isPlaced: false,
      lacksSpace: false,
      strangers: new Set<FileLink>(),
    };
    this.#offers.set(key, { key, offer, from, ...fresh, run: null, came: 0, written: 0, last: null, file: null });
    for (const link of this.#linksOf(from)) link.say({ type: "ask", id: offer.id });
  }

  has(id: string): boolean {
    return this.#offers.has(id);
  }

  /** Everything goes on where it was. */
  opened(link: FileLink): void {
    this.#runs.set(link, new Map());
    for (const offer of this.#offers.values()) {
      if (offer.from !== link.identity) continue;
      this.#goOn(offer, link);
      // A page that came after the offer may know nothing of it: that is found out while the one that does is there.
      if (isOpen(offer.state) && offer.run?.link !== link) link.say({ type: "ask", id: offer.offer.id });
    }
  }

  lost(link: FileLink): void {
    this.#runs.delete(link);
    for (const offer of this.#offers.values()) {
      offer.strangers.delete(link);
      if (offer.run?.link === link) offer.run = null;
    }
  }

  left(isHere: (identity: string) => boolean): void {
    for (const offer of this.#offers.values()) if (isOpen(offer.state) && !isHere(offer.from)) this.#end(offer, "left");
  }

  /** Says again what may not have been heard. */
  remind(): void {
    for (const offer of this.#offers.values()) if (isOpen(offer.state)) this.#askMore(offer);
  }

  heard(link: FileLink, word: FileWord): void {
    const offer = this.#offers.get(keyOf(link.identity, word.id));
    if (offer === undefined || !isOpen(offer.state)) return;
    if (word.type === "details") void this.#explained(offer, word.sealed, link);
    else if (word.type === "paused") offer.isPausedThere = word.on;
    else if (word.type === "end") this.#ended(offer, word.why, link);
    this.#parts.changed();
  }

  /** False: it must not come. */
  part(link: FileLink, part: FilePart): boolean {
    const run = this.#runs.get(link)?.get(part.slot);
    const taken = run?.take(part) ?? null;
    if (run === undefined || taken === null) return false;
    if (taken === "more") return true;
    const offer = [...this.#offers.values()].find((each) => each.run?.run === run);
    if (offer !== undefined) void this.#write(offer, taken.chunk, taken.sealed);
    return true;
  }

  async save(id: string): Promise<void> {
    const offer = this.#offers.get(id);
    if (offer?.state !== "offered" || offer.details === null || offer.isPlaced) return;
    const { name, size, baseKey } = offer.details;
    offer.isPlaced = true;
    const place = await this.#parts.place(id, name).catch((error: unknown) => this.#fail(offer, error));
    offer.isPlaced = false;
    if (!place || offer.state !== "offered") return;
    offer.lacksSpace = place.type === "private" && (await this.#parts.freeBytes()) < size;
    if (!offer.lacksSpace) {
      // Whatever comes of it, it is not offered any more: nothing begins twice.
      offer.state = "going";
      await this.#begin(offer, { size, baseKey, place });
    }
    this.#parts.changed();
  }

  decline(id: string): void {
    this.#stop(id, "declined", "declined");
  }

  pause(id: string, on: boolean): void {
    const offer = this.#offers.get(id);
    if (offer === undefined || offer.state !== (on ? "going" : "paused-here")) return;
    offer.state = on ? "paused-here" : "going";
    offer.run = null;
    this.#askMore(offer);
    this.#parts.changed();
  }

  cancel(id: string): void {
    this.#stop(id, "cancelled", "cancelled-here");
  }

  dismiss(id: string): void {
    const offer = this.#offers.get(id);
    if (offer === undefined || isOpen(offer.state)) return;
    this.#offers.delete(id);
    if (offer.file !== null) void this.#parts.remove(id).catch(() => undefined);
  }

  file(id: string): File | null {
    const offer = this.#offers.get(id);
    if (!offer?.file || offer.details === null) return null;
    return new File([offer.file], offer.details.name);
  }

  async #begin(
    offer: ReceivedOffer,
    { size, baseKey, place }: Pick<Opened, "size" | "baseKey"> & { place: FilePlace },
  ) {
    try {
      await this.#parts.worker().receive(offer.key, size, baseKey, place);
      this.#askMore(offer);
    } catch (error) {
      if (failureOf(error) !== "full" || !isOpen(offer.state)) return this.#fail(offer, error);
      offer.lacksSpace = true;
      offer.state = "offered";
    }
  }

  #goOn(offer: ReceivedOffer, link: FileLink): void {
    const { id } = offer.offer;
    if (offer.last !== null) link.say(offer.last);
    else if (offer.details === null) link.say({ type: "ask", id });
    else if (offer.state === "paused-here") link.say({ type: "hold", id });
    else if (offer.state === "going" && offer.run === null) this.#ask(offer, offer.details.size, link);
  }

  #ask(offer: ReceivedOffer, size: number, link: FileLink): void {
    const upTo = Math.min(fileChunks(size), offer.written + AHEAD);
    const runs = this.#runs.get(link);
    if (runs === undefined || offer.came >= upTo) return;
    const slot = this.#slots++ % SLOTS;
    const run = new Run(size, offer.came, upTo);
    if (!link.say({ type: "want", id: offer.offer.id, slot, next: offer.came, upTo })) return;
    runs.set(slot, run);
    offer.run = { link, slot, run };
  }

  async #write(offer: ReceivedOffer, chunk: number, sealed: ArrayBuffer): Promise<void> {
    offer.came = chunk + 1;
    try {
      await this.#parts.worker().open(offer.key, chunk, sealed);
    } catch (error) {
      return this.#fail(offer, error);
    }
    offer.written = chunk + 1;
    if (offer.details === null || !isOpen(offer.state)) return;
    if (offer.written === fileChunks(offer.details.size)) await this.#finish(offer);
    else this.#askMore(offer);
    this.#parts.changed();
  }

  /** Asks for what comes next: where it comes, as soon as enough more can be asked for; where it does not, wherever its sender is. */
  #askMore(offer: ReceivedOffer): void {
    const { run, written, details } = offer;
    if (run === null) {
      for (const link of this.#linksWith(offer)) this.#goOn(offer, link);
      return;
    }
    const chunks = fileChunks(details?.size ?? 0);
    const upTo = Math.min(chunks, written + AHEAD);
    if (upTo === run.run.upTo || (upTo < chunks && upTo - run.run.upTo < ASK_AFTER)) return;
    if (run.link.say({ type: "want", id: offer.offer.id, slot: run.slot, next: written, upTo })) run.run.extend(upTo);
  }

  async #finish(offer: ReceivedOffer): Promise<void> {
    try {
      offer.file = await this.#parts.worker().finish(offer.key);
      this.#end(offer, "done", { type: "got", id: offer.offer.id });
    } catch (error) {
      this.#fail(offer, error);
    }
  }

  async #explained(offer: ReceivedOffer, sealed: string, link: FileLink): Promise<void> {
    if (offer.details !== null) return;
    const details = await openDetails(offer.offer, sealed);
    if (offer.details !== null || !isOpen(offer.state)) return;
    if (details === null) {
      link.say({ type: "stop", id: offer.offer.id, why: "damaged" });
      this.#offers.delete(offer.key);
    }
    offer.details = details;
    this.#parts.changed();
  }

  #ended(offer: ReceivedOffer, why: Extract<FileWord, { type: "end" }>["why"], link: FileLink): void {
    if (why === "gone" && this.#isElsewhere(offer, link)) return;
    this.#end(offer, why === "cancelled" ? "cancelled-there" : why === "changed" ? "changed" : "left");
  }

  /** A page of the sender's knows nothing of it: whether another one may. */
  #isElsewhere(offer: ReceivedOffer, stranger: FileLink): boolean {
    offer.strangers.add(stranger);
    if (offer.run?.link === stranger) offer.run = null;
    const others = this.#linksWith(offer);
    if (offer.run === null) for (const link of others) link.say({ type: "ask", id: offer.offer.id });
    this.#askMore(offer);
    return others.length > 0;
  }

  #stop(id: string, why: StopReason, state: FileState): void {
    const offer = this.#offers.get(id);
    if (offer !== undefined && isOpen(offer.state)) this.#end(offer, state, { type: "stop", id: offer.offer.id, why });
  }

  #fail(offer: ReceivedOffer, error: unknown): void {
    if (!isOpen(offer.state)) return;
    const failure = failureOf(error);
    const why = failure === "changed" ? "stopped" : failure;
    this.#end(offer, why, { type: "stop", id: offer.offer.id, why });
  }

  /** `last`: what the sender has to know of it. */
  #end(offer: ReceivedOffer, state: FileState, last: FileWord | null = null): void {
    offer.state = state;
    offer.run = null;
    offer.last = last;
    for (const link of this.#linksOf(offer.from)) if (last !== null) link.say(last);
    if (state !== "done")
      void this.#parts
        .worker()
        .drop(offer.key)
        .catch(() => undefined);
    if (offer.details === null) this.#offers.delete(offer.key);
    this.#forgetEnded();
    this.#parts.changed();
  }

  /** One sender pushes no other's out. */
  #forgetEnded(): void {
    const ended = new Map<string, ReceivedOffer[]>();
    for (const offer of this.#offers.values()) {
      if (isOpen(offer.state) || offer.file !== null) continue;
      ended.set(offer.from, [...(ended.get(offer.from) ?? []), offer]);
    }
    const all = [...ended.values()].sort((some, others) => others.length - some.length);
    const isTooMany = all.reduce((sum, { length }) => sum + length, 0) > MOST_ENDED;
    const [most = []] = all;
    const [oldest] = most;
    if (oldest !== undefined && (isTooMany || most.length > MOST_ENDED_OF_ONE)) this.#offers.delete(oldest.key);
  }

  #openOf(identity: string): ReceivedOffer[] {
    return [...this.#offers.values()].filter(({ from, state }) => from === identity && isOpen(state));
  }

  /** Those of its sender's pages that may have it. */
  #linksWith({ from, strangers }: ReceivedOffer): FileLink[] {
    return this.#linksOf(from).filter((link) => !strangers.has(link));
  }

  #linksOf(identity: string): FileLink[] {
    return [...this.#runs.keys()].filter((link) => link.identity === identity);
  }
}

function keyOf(identity: string, id: string): string {
  return `${identity}-${id}`;
}

function stateOf({ state, run, isPausedThere }: Pick<ReceivedOffer, "state" | "run" | "isPausedThere">): FileState {
  if (state !== "going") return state;
  if (isPausedThere) return "paused-there";
  return run?.link.isUp === false || run === null ? "waiting" : "going";
}

function bytesOf(chunks: number, size: number): number {
  return chunks === 0 ? 0 : (chunks - 1) * fileChunkBytes(size, 0) + fileChunkBytes(size, chunks - 1);
}

function failureOf(error: unknown): FileWorkError["failure"] {
  return error instanceof FileWorkError ? error.failure : "unwritable";
}
