import { random } from "@sealcast/crypto";
import { sealHeader } from "../shared/header.ts";
import type { Ending } from "../shared/messages.ts";
import type { Facts, Meta, Notes } from "../shared/meta.ts";
import { FILE_KEY_BYTES, NONCE_BYTES, payloadCipher } from "../shared/payload.ts";
import { SealedWriter } from "../shared/sealed-writer.ts";
import { type MetaSigner, sealMeta, signMeta } from "../shared/signed-meta.ts";
import { replaceWhole, writeAll } from "./files.ts";
import { JOURNAL_BYTES, sealEntry } from "./journal.ts";

/** What is known when a file begins. */
interface Beginning {
  /** 16 bytes. */
  readonly id: Uint8Array;
  readonly facts: Facts;
  readonly notes: Notes;
  /** age hybrid recipients, the owner's first. */
  readonly recipients: readonly string[];
}

export const HEADER = "header.age";
export const PAYLOAD = "payload";
/** There once the file is finished, and only then. */
export const META = "meta.age";
/** Its details until then. */
export const DRAFT = "draft.age";
export const JOURNAL_KEY = "journal.age";
export const JOURNAL = "journal";
/** Room that is freed when the storage is full: for two chunks, the digests and a thumbnail. */
const RESERVE = "reserve";
const RESERVE_BYTES = 1024 * 1024;

/** Writes one file of the vault into a directory of its own, sealed as it comes. One call after the other. */
export class RecordingWriter {
  readonly #directory: FileSystemDirectoryHandle;
  readonly #beginning: Beginning;
  readonly #nonce: Uint8Array;
  readonly #payload: FileSystemSyncAccessHandle;
  readonly #journal: FileSystemSyncAccessHandle;
  readonly #journalKey: Uint8Array;
  readonly #writer: SealedWriter;
  /** Reads what was written so far. */
  readonly fileKey: Uint8Array;
  #turn = 0;
  #bytes = 0;

  private constructor(parts: {
    directory: FileSystemDirectoryHandle;
    beginning: Beginning;
    nonce: Uint8Array;
    payload: FileSystemSyncAccessHandle;
    journal: FileSystemSyncAccessHandle;
    journalKey: Uint8Array;
    fileKey: Uint8Array;
    writer: SealedWriter;
  }) {
    this.#directory = parts.directory;
    this.#beginning = parts.beginning;
    this.#nonce = parts.nonce;
    this.#payload = parts.payload;
    this.#journal = parts.journal;
    this.#journalKey = parts.journalKey;
    this.fileKey = parts.fileKey;
    this.#writer = parts.writer;
  }

  /** `directory` is empty. Everything that opening what follows takes is on the disk before the first byte of it. */
  static async begin(directory: FileSystemDirectoryHandle, beginning: Beginning): Promise<RecordingWriter> {
    const { recipients, facts, notes } = beginning;
    const [fileKey, journalKey, nonce] = [random(FILE_KEY_BYTES), random(FILE_KEY_BYTES), random(NONCE_BYTES)];
    await replaceWhole(directory, RESERVE, new Uint8Array(RESERVE_BYTES));
    await replaceWhole(directory, HEADER, await sealHeader(fileKey, recipients));
    await replaceWhole(directory, JOURNAL_KEY, await sealHeader(journalKey, recipients));
    const journal = await fresh(directory, JOURNAL);
    writeAll(journal, new Uint8Array(JOURNAL_BYTES), 0);
    const payload = await fresh(directory, PAYLOAD);
    writeAll(payload, nonce, 0);
    const none = new Uint8Array();
    // Last: with it there is a version to recover.
    await replaceWhole(directory, DRAFT, await sealMeta({ facts, notes, thumbnail: none, digests: none }, recipients));
    const writer = new SealedWriter(await payloadCipher(fileKey, nonce), (sealed, at) => writeAll(payload, sealed, at));
    return new RecordingWriter({ directory, beginning, nonce, payload, journal, journalKey, fileKey, writer });
  }

  /** Bytes that were appended and kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when the bytes are on the disk. Throws VaultError `storage-full`; `finish` then keeps what fits. */
  async append(bytes: Uint8Array): Promise<void> {
    await this.#writer.append(bytes);
    this.#payload.flush();
    this.#bytes += bytes.length;
    const { chunks, tail } = this.#writer;
    const entry = await sealEntry(this.#journalKey, { turn: this.#turn++, chunks, tail });
    writeAll(this.#journal, entry.bytes, entry.at);
    this.#journal.flush();
  }

  /** Ends the file and signs it. */
  async finish(ending: Ending, signer: MetaSigner): Promise<Meta> {
    await remove(this.#directory, RESERVE);
    const digests = await this.#writer.finish();
    this.#payload.flush();
    const size = this.#payload.getSize();
    this.close();
    const { id, notes } = this.#beginning;
    const { seconds, kind, people } = ending;
    const facts = { ...this.#beginning.facts, seconds, kind, people: [...people] };
    const meta = { facts, notes, thumbnail: ending.thumbnail, digests };
    const signed = await signMeta(meta, { id, nonce: this.#nonce, payloadBytes: size }, signer);
    await replaceWhole(this.#directory, META, await sealMeta(signed, this.#beginning.recipients));
    for (const name of [DRAFT, JOURNAL, JOURNAL_KEY]) await remove(this.#directory, name);
    return signed;
  }

  /** Frees the files. What was written stays, to be recovered. */
  close(): void {
    this.#payload.close();
    this.#journal.close();
    this.#journalKey.fill(0);
  }
}

async function fresh(directory: FileSystemDirectoryHandle, name: string): Promise<FileSystemSyncAccessHandle> {
  return (await directory.getFileHandle(name, { create: true })).createSyncAccessHandle();
}

async function remove(directory: FileSystemDirectoryHandle, name: string): Promise<void> {
  await directory.removeEntry(name);
}
