import { concat, fromHex, toHex } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { bytesOf, partsOf } from "../shared/age-file.ts";
import { digestOf } from "../shared/digests.ts";
import { VaultError } from "../shared/error.ts";
import { assertRecipient, openHeader, recipientOf, sealHeader } from "../shared/header.ts";
import { KIND_BYTES, kindOf } from "../shared/kind.ts";
import type { Details, Ending, Entry, Played, Preview, SealedCopy } from "../shared/messages.ts";
import type { Meta } from "../shared/meta.ts";
import {
  CHUNK_BYTES,
  chunkAt,
  chunkCount,
  FILE_KEY_BYTES,
  NONCE_BYTES,
  SEALED_CHUNK_BYTES,
} from "../shared/payload.ts";
import { SealedReader, type StoredBytes } from "../shared/sealed-reader.ts";
import { ID_BYTES, type MetaSigner, openSidecar, type Sidecar, sealMeta, signMeta } from "../shared/signed-meta.ts";
import { type ChunkJob, Digests, runChunkJob } from "./chunk-pool.ts";
import { checkedDetails, draftDetails, entryOf } from "./details.ts";
import {
  blobBytes,
  found,
  growing,
  namesIn,
  openForReading,
  readWhole,
  replaceWhole,
  snapshot,
  using,
  writeAll,
} from "./files.ts";
import { latestEntry } from "./journal.ts";
import { exclusively, held, isHeld } from "./locks.ts";
import { DRAFT, HEADER, JOURNAL, JOURNAL_KEY, META, PAYLOAD, RecordingWriter } from "./recording.ts";
import { currentVersion, nextVersion, removeOthers, type Version } from "./versions.ts";

const ID = /^[0-9a-f]{32}$/;

/** A file that is open for reading: `close` frees it. */
export interface Reading {
  readonly entry: Entry;
  /** Bytes at present. */
  size(): Promise<number>;
  read(at: number, length: number): Promise<Uint8Array>;
  close(): void;
}

/** The vault's files. Identities are age's text; who holds none can write all the same. */
export class Library {
  readonly #root: FileSystemDirectoryHandle;
  readonly #signer: MetaSigner;
  readonly #writing = new Map<string, { writer: RecordingWriter; release: () => void }>();

  constructor(root: FileSystemDirectoryHandle, signer: MetaSigner) {
    this.#root = root;
    this.#signer = signer;
  }

  /** Begins a file for `recipient`; resolves with its id. */
  async create({ title, kind, people }: Details, recipient: string): Promise<string> {
    const id = random(ID_BYTES);
    const name = toHex(id);
    const release = await held(name);
    try {
      const directory = await nextVersion(await this.#root.getDirectoryHandle(name, { create: true }));
      const facts = { kind, people: [...people], created: Date.now(), seconds: null };
      const notes = { title, signature: null, shared: [], resealing: false };
      const writer = await RecordingWriter.begin(directory, { id, facts, notes, recipients: [recipient] });
      this.#writing.set(name, { writer, release });
      return name;
    } catch (error) {
      await this.#root.removeEntry(name, { recursive: true }).catch(() => undefined);
      release();
      throw error;
    }
  }

  append(id: string, bytes: Uint8Array): Promise<void> {
    return this.#writer(id).writer.append(bytes);
  }

  async finish(id: string, ending: Ending): Promise<Entry> {
    const { writer, release } = this.#writer(id);
    this.#writing.delete(id);
    // Where it fails, what was written can be recovered.
    const meta = await writer.finish(ending, this.#signer).finally(() => {
      writer.close();
      release();
    });
    return entryOf(id, { meta, signer: this.#signer.publicKey, bytes: writer.bytes }, "finished");
  }

  async cancel(id: string): Promise<void> {
    const { writer, release } = this.#writer(id);
    writer.close();
    this.#writing.delete(id);
    await this.#root.removeEntry(id, { recursive: true });
    release();
  }

  async list(identity: string): Promise<Entry[]> {
    const ids = (await namesIn(this.#root)).filter((name) => ID.test(name));
    const entries = await Promise.all(ids.map((id) => this.#listed(id, identity)));
    return entries.filter((entry) => entry !== null).sort((a, b) => b.created - a.created);
  }

  async entry(id: string, identity: string): Promise<Entry> {
    const entry = await this.#entry(id, identity);
    if (entry === null) throw notFound();
    return entry;
  }

  /**
   * For playing: the signature is checked first, and each chunk against it as it is read. A file that is being written can
   * be opened where it is written.
   */
  async open(id: string, identity: string): Promise<Reading> {
    const version = await this.#version(id);
    if (!version.isFinished) return this.#openUnfinished(id, version, identity);
    const checked = await checkedDetails(version, bytesOfId(id), identity);
    const fileKey = await openHeader(await whole(version.directory, HEADER), [identity]);
    const file = await openForReading(await version.directory.getFileHandle(PAYLOAD));
    const reader = await SealedReader.open(file, fileKey, { digests: checked.meta.digests }).catch((error: unknown) => {
      file.close();
      throw error;
    });
    return {
      entry: entryOf(id, checked, "finished"),
      size: async () => reader.size,
      read: (at, length) => reader.read(at, length),
      close: file.close,
    };
  }

  async rename(id: string, title: string, identity: string): Promise<Entry> {
    return this.#change(id, identity, (meta) => ({ ...meta, notes: { ...meta.notes, title } }));
  }

  /**
   * Erases the file's key first: without it what the disk may keep of the rest opens for nobody. What a page still reads goes
   * with the next list.
   */
  async remove(id: string): Promise<void> {
    const file = await this.#directory(id);
    await exclusively(id, async () => {
      const versions = await Promise.all((await namesIn(file)).map((number) => file.getDirectoryHandle(number)));
      for (const version of versions) for (const name of [META, DRAFT, HEADER, JOURNAL_KEY]) await erase(version, name);
      for (const version of versions) for (const name of [META, DRAFT]) await found(version.removeEntry(name));
    });
    await this.#tidy(id);
  }

  /** Lets another recipient open what is exported from now on: only the details are written again. */
  async share(id: string, name: string, recipient: string, identity: string): Promise<Entry> {
    await assertRecipient(recipient);
    return this.#change(id, identity, (meta) => {
      const shared = [...meta.notes.shared.filter((other) => other.recipient !== recipient), { name, recipient }];
      return { ...meta, notes: { ...meta.notes, shared } };
    });
  }

  /**
   * Takes a recipient away: who had the key keeps it, so the file is sealed again under another. Until that is done the
   * entry says `resealing`, and `reseal` goes on after an interruption.
   */
  async unshare(id: string, recipient: string, identity: string): Promise<Entry> {
    return this.#change(id, identity, (meta) => {
      const shared = meta.notes.shared.filter((other) => other.recipient !== recipient);
      return { ...meta, notes: { ...meta.notes, shared, resealing: true } };
    });
  }

  /** Seals a file again under a key of its own. */
  async reseal(id: string, identity: string, workers: Workers): Promise<Entry> {
    return exclusively(id, async () => {
      const file = await this.#directory(id);
      const version = await this.#version(id);
      const { meta, bytes } = await checkedDetails(version, bytesOfId(id), identity);
      const payload = await version.directory.getFileHandle(PAYLOAD);
      const fileKey = await openHeader(await whole(version.directory, HEADER), [identity]);
      const notes = { ...meta.notes, resealing: false };
      const source = { type: "sealed", payload, fileKey } as const;
      await this.#seal(file, id, { ...meta, notes }, { source, bytes }, identity, workers);
      return this.entry(id, identity);
    }).finally(() => this.#tidy(id));
  }

  /** A file from outside, as its contents are. */
  async importFile(
    file: Blob,
    { title, kind, people }: Details,
    { seconds, thumbnail }: Preview,
    identity: string,
    workers: Workers,
  ): Promise<Entry> {
    const id = toHex(random(ID_BYTES));
    const facts = { kind, people: [...people], created: Date.now(), seconds };
    const notes = { title, signature: null, shared: [], resealing: false };
    const meta = { facts, notes, thumbnail, digests: new Uint8Array() };
    const source = { type: "plain", blob: file } as const;
    return exclusively(id, async () => {
      await this.#orNothing(id, (directory) =>
        this.#seal(directory, id, meta, { source, bytes: file.size }, identity, workers),
      );
      return this.entry(id, identity);
    });
  }

  /** Finishes a file whose writer ended early: what can be read of it is sealed again, as a file of its own key. */
  async recover(id: string, played: Played | null, identity: string, ports: readonly MessagePort[]): Promise<Entry> {
    return exclusively(id, async () => {
      const file = await this.#directory(id);
      const version = await this.#version(id);
      const meta = await draftDetails(version, identity);
      const written = await unfinished(version, identity);
      const facts = { ...meta.facts, ...played };
      const from = { source: { type: "given", read: written.read }, bytes: written.size } as const;
      await this.#seal(file, id, { ...meta, facts }, from, identity, { ports, onProgress: () => undefined });
      return this.entry(id, identity);
    }).finally(() => this.#tidy(id));
  }

  /** A sealed copy for others to keep: an age file, and its signed details for the same recipients beside it. */
  async exportSealed(id: string, identity: string): Promise<SealedCopy> {
    const version = await this.#version(id);
    const { meta } = await checkedDetails(version, bytesOfId(id), identity);
    if (meta.notes.resealing)
      throw new VaultError("busy", "A recipient was removed, and the file is not sealed again yet. Wait until it is.");
    const recipients = [await recipientOf(identity), ...meta.notes.shared.map(({ recipient }) => recipient)];
    const sidecar = await sealMeta({ ...meta, notes: { ...meta.notes, shared: [] } }, recipients);
    const fileKey = await openHeader(await whole(version.directory, HEADER), [identity]);
    const header = await sealHeader(fileKey, recipients);
    const payload = await (await version.directory.getFileHandle(PAYLOAD)).getFile();
    return { file: new Blob([new Uint8Array(header), payload]), sidecar: concat(bytesOfId(id), sidecar) };
  }

  /**
   * An age file from outside, as it is. With its sidecar it keeps its id and its sender's signature; without one nobody
   * vouches for it.
   */
  async importSealed(
    file: Blob,
    sidecar: Uint8Array | null,
    title: string,
    identity: string,
    workers: Omit<Workers, "ports">,
  ): Promise<Entry> {
    const { header, payload } = await partsOf(blobBytes(file));
    const fileKey = await openHeader(header, [identity]);
    const known = sidecar && (await openSidecar(sidecar, payload, [identity]));
    const id = known?.id ?? random(ID_BYTES);
    const meta = known ? vouched(known) : await unsigned(payload, fileKey, title);
    const own = [await recipientOf(identity)];
    const name = toHex(id);
    return exclusively(name, async () => {
      const there = await found(this.#root.getDirectoryHandle(name));
      if (there !== null && (await currentVersion(there)) !== null)
        throw new VaultError("busy", "This file is in the vault already.");
      await this.#orNothing(name, async (directory) => {
        const version = await nextVersion(directory);
        await replaceWhole(version, HEADER, await sealHeader(fileKey, own));
        await copyInto(version, PAYLOAD, payload, (done) => {
          workers.signal?.throwIfAborted();
          workers.onProgress(name, done, payload.size);
        });
        await replaceWhole(version, META, await sealMeta(meta, own));
      });
      return this.entry(name, identity);
    });
  }

  /** Writes a file that is not there yet. Where that fails, nothing of it is left. */
  async #orNothing(id: string, write: (directory: FileSystemDirectoryHandle) => Promise<void>): Promise<void> {
    const directory = await this.#root.getDirectoryHandle(id, { create: true });
    await write(directory).catch(async (error: unknown) => {
      await this.#root.removeEntry(id, { recursive: true });
      throw error;
    });
  }

  /** Removes versions that no longer count, and all of a file of which none does. Where a page is at it, at another time. */
  async #tidy(id: string): Promise<void> {
    const file = await this.#directory(id);
    if ((await namesIn(file)).length === 1 && (await currentVersion(file)) !== null) return;
    await exclusively(id, async () => {
      const current = await currentVersion(file);
      if (current === null) await this.#root.removeEntry(id, { recursive: true });
      else await removeOthers(file, current);
    }).catch((error: unknown) => {
      const isInUse = error instanceof DOMException && error.name === "NoModificationAllowedError";
      if (!isInUse && !(error instanceof VaultError)) throw error;
    });
  }

  #writer(id: string): { writer: RecordingWriter; release: () => void } {
    const writing = this.#writing.get(id);
    if (writing === undefined) throw notFound();
    return writing;
  }

  async #directory(id: string): Promise<FileSystemDirectoryHandle> {
    const directory = ID.test(id) ? await found(this.#root.getDirectoryHandle(id)) : null;
    if (directory === null) throw notFound();
    return directory;
  }

  async #version(id: string): Promise<Version> {
    const version = await currentVersion(await this.#directory(id));
    if (version === null) throw notFound();
    return version;
  }

  /** Null: it is not there any more. What is wrong with one file hides no other. */
  async #listed(id: string, identity: string): Promise<Entry | null> {
    try {
      await this.#tidy(id);
      return await this.#entry(id, identity);
    } catch (error) {
      if (!(error instanceof VaultError || error instanceof DOMException)) throw error;
      return (await found(this.#root.getDirectoryHandle(id))) && damaged(id);
    }
  }

  /** Null: nothing of it can be opened by anybody. */
  async #entry(id: string, identity: string): Promise<Entry | null> {
    const version = await currentVersion(await this.#directory(id));
    if (version === null) return null;
    if (version.isFinished) {
      const checked = await checkedDetails(version, bytesOfId(id), identity);
      return entryOf(id, checked, checked.meta.notes.resealing ? "resealing" : "finished");
    }
    const payload = await found(version.directory.getFileHandle(PAYLOAD));
    const bytes = payload === null ? 0 : (await payload.getFile()).size;
    const checked = { meta: await draftDetails(version, identity), signer: null, bytes };
    return entryOf(id, checked, (await isHeld(id)) ? "writing" : "unfinished");
  }

  async #openUnfinished(id: string, version: Version, identity: string): Promise<Reading> {
    const fileKey =
      this.#writing.get(id)?.writer.fileKey ?? (await openHeader(await whole(version.directory, HEADER), [identity]));
    const entry = await this.entry(id, identity);
    let reader = await latestOf(version.directory, fileKey);
    return {
      entry,
      async size() {
        reader = await latestOf(version.directory, fileKey);
        return reader.size;
      },
      read: (at, length) => reader.read(at, length),
      close: () => undefined,
    };
  }

  async #change(id: string, identity: string, change: (meta: Meta) => Meta): Promise<Entry> {
    return exclusively(id, async () => {
      const version = await this.#version(id);
      const { meta } = await checkedDetails(version, bytesOfId(id), identity);
      await replaceWhole(version.directory, META, await sealMeta(change(meta), [await recipientOf(identity)]));
      return this.entry(id, identity);
    });
  }

  /** Seals `from` into the next version of a file, over all workers. There is a version once its details are written. */
  async #seal(
    file: FileSystemDirectoryHandle,
    id: string,
    meta: Meta,
    { source, bytes }: Pick<ChunkJob, "source" | "bytes">,
    identity: string,
    { ports, signal, onProgress }: Workers,
  ): Promise<void> {
    const directory = await nextVersion(file);
    const [fileKey, nonce, own] = [random(FILE_KEY_BYTES), random(NONCE_BYTES), await recipientOf(identity)];
    await replaceWhole(directory, HEADER, await sealHeader(fileKey, [own]));
    await replaceWhole(directory, PAYLOAD, nonce);
    const payload = await directory.getFileHandle(PAYLOAD);
    const isShared = ports.length > 1 && (await canShare(payload));
    const target = { type: "sealed", payload, fileKey, nonce, isShared } as const;
    const digests = new Digests(bytes);
    const onRange = (first: number, of: Uint8Array) => digests.set(first, of);
    await runChunkJob(isShared ? ports : ports.slice(0, 1), {
      source,
      target,
      bytes,
      signal,
      onRange,
      onProgress: (done) => onProgress(id, done, bytes),
    });
    const { size } = await payload.getFile();
    const signed = await signMeta(
      { ...meta, digests: digests.bytes },
      { id: bytesOfId(id), nonce, payloadBytes: size },
      this.#signer,
    );
    await replaceWhole(directory, META, await sealMeta(signed, [own]));
  }
}

/** Chunk workers, and who hears how far they are: bytes of `total` of the file `id`. */
export interface Workers {
  readonly ports: readonly MessagePort[];
  /** Ends the work. */
  readonly signal?: AbortSignal | undefined;
  onProgress(id: string, done: number, total: number): void;
}

const COPY_BYTES = 4 * 1024 * 1024;

/** What can be read of a file that is written meanwhile. Its last chunk, and the list at its end, come once it is finished. */
async function latestOf(directory: FileSystemDirectoryHandle, fileKey: Uint8Array): Promise<SealedReader> {
  const isFinished = (await found(directory.getFileHandle(META))) !== null;
  const payload = await growing(await directory.getFileHandle(PAYLOAD));
  return isFinished ? SealedReader.open(payload, fileKey) : SealedReader.openUnfinished(payload, fileKey);
}

/** What can be read of a file that was never finished: whole chunks that authenticate, and what the journal has beyond. */
async function unfinished(version: Version, identity: string): Promise<StoredBytes> {
  const { directory } = version;
  const fileKey = await openHeader(await whole(directory, HEADER), [identity]);
  const journalKey = await openHeader(await whole(directory, JOURNAL_KEY), [identity]);
  const entry = await latestEntry(journalKey, await whole(directory, JOURNAL));
  const reader = await SealedReader.openUnfinished(await snapshot(await directory.getFileHandle(PAYLOAD)), fileKey);
  // The last chunk may be torn, or say that it is the last.
  await reader.dropTorn();
  const tail = entry?.chunks === reader.size / CHUNK_BYTES ? entry.tail : new Uint8Array();
  const { size } = reader;
  return joined({ size, read: (at, length) => reader.read(at, length) }, bytesOf(tail));
}

/** Whether several workers may write one file at a time: Chromium alone has that. */
async function canShare(handle: FileSystemFileHandle): Promise<boolean> {
  const open = () => handle.createSyncAccessHandle({ mode: "readwrite-unsafe" });
  const files = await Promise.allSettled([open(), open()]);
  for (const file of files) if (file.status === "fulfilled") file.value.close();
  return files.every(({ status }) => status === "fulfilled");
}

/** What the sidecar of an exported file says of it. Of the notes only the title and the signature are the sender's to say. */
function vouched({ meta }: Sidecar): Meta {
  const { title, signature } = meta.notes;
  return { ...meta, notes: { title, signature, resealing: false, shared: [] } };
}

async function unsigned(payload: StoredBytes, fileKey: Uint8Array, title: string): Promise<Meta> {
  const reader = await SealedReader.open(payload, fileKey);
  const kind = kindOf(await reader.read(0, KIND_BYTES));
  const digests = new Digests(reader.size);
  for (let index = 0; index < chunkCount(reader.size); index++)
    digests.set(index, await digestOf(await payload.read(chunkAt(index), SEALED_CHUNK_BYTES)));
  const facts = { kind, people: [], created: Date.now(), seconds: null };
  return {
    facts,
    notes: { title, signature: null, shared: [], resealing: false },
    thumbnail: new Uint8Array(),
    digests: digests.bytes,
  };
}

/** @param onProgress before each part; what it throws ends the copy */
async function copyInto(
  directory: FileSystemDirectoryHandle,
  name: string,
  from: StoredBytes,
  onProgress: (done: number) => void,
): Promise<void> {
  const handle = await directory.getFileHandle(name, { create: true });
  await using(await handle.createSyncAccessHandle(), async (file) => {
    for (let at = 0; at < from.size; at += COPY_BYTES) {
      onProgress(at);
      writeAll(file, await from.read(at, COPY_BYTES), at);
    }
    file.flush();
  });
}

async function erase(directory: FileSystemDirectoryHandle, name: string): Promise<void> {
  const handle = await found(directory.getFileHandle(name));
  if (handle === null) return;
  await using(await handle.createSyncAccessHandle(), (file) => {
    writeAll(file, new Uint8Array(file.getSize()), 0);
    file.flush();
  });
}

function damaged(id: string): Entry {
  const nothing = { title: "", kind: "", people: [], created: 0, seconds: null, bytes: 0 };
  return { id, ...nothing, state: "damaged", signer: null, thumbnail: new Uint8Array(), shared: [] };
}

function joined(one: StoredBytes, other: StoredBytes): StoredBytes {
  return {
    size: one.size + other.size,
    async read(at, length) {
      const first = await one.read(Math.min(at, one.size), Math.max(0, Math.min(length, one.size - at)));
      const rest = await other.read(Math.max(0, at - one.size), length - first.length);
      return concat(first, rest);
    },
  };
}

async function whole(directory: FileSystemDirectoryHandle, name: string): Promise<Uint8Array> {
  const bytes = await readWhole(directory, name);
  if (bytes === null) throw notFound();
  return bytes;
}

function bytesOfId(id: string): Uint8Array {
  return fromHex(id) ?? new Uint8Array();
}

function notFound(): VaultError {
  return new VaultError("not-found", "This file is not in the vault any more.");
}
