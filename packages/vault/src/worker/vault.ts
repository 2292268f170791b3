import { utf8 } from "@sealcast/bytes";
import { VaultError } from "../shared/error.ts";
import { newIdentity, recipientOf } from "../shared/header.ts";
import { isMedia, KIND_BYTES, kindOf } from "../shared/kind.ts";
import type {
  Details,
  Ending,
  Entry,
  OpenedFile,
  Played,
  Preview,
  SealedCopy,
  VaultCalls,
  VaultState,
} from "../shared/messages.ts";
import { titled } from "../shared/meta.ts";
import { openIdentity, sealIdentity } from "../shared/recovery-key.ts";
import type { MetaSigner } from "../shared/signed-meta.ts";
import { blobBytes, readWhole, replaceWhole } from "./files.ts";
import { Library, type Reading, type Workers } from "./library.ts";
import { exclusively } from "./locks.ts";

/** The lock under which the vault's identity is made or taken over. */
const IDENTITY = "identity";
const RECOVERY_KEY = "recovery-key";
const RECIPIENT = "recipient";
/** What a page asks for at a time. */
const MAX_READ_BYTES = 64 * 1024 * 1024;
/** Whatever the names, a file's facts have room for these. */
const MOST_PEOPLE = 100;
const MAX_NAME = 100;
/** Digests of 256 GiB have half of it. */
const MAX_SIDECAR_BYTES = 256 * 1024 * 1024;
const AGE = utf8("age-encryption.org/v1\n");
const ARMOR = utf8("-----BEGIN AGE");

/** The vault of this browser profile: its identity, and its files. Lives in a worker; the page calls it by messages. */
export class Vault implements VaultCalls {
  readonly #root: FileSystemDirectoryHandle;
  readonly #signer: MetaSigner;
  readonly #library: Library;
  readonly #onProgress: Workers["onProgress"];
  readonly #open = new Map<number, Reading>();
  #handles = 0;
  #identity: string | null = null;
  #importing: AbortController | null = null;

  constructor(root: FileSystemDirectoryHandle, signer: MetaSigner, onProgress: Workers["onProgress"]) {
    this.#root = root;
    this.#signer = signer;
    this.#library = new Library(root, signer);
    this.#onProgress = onProgress;
  }

  async state(): Promise<VaultState> {
    if (this.#identity !== null) return "unlocked";
    return (await readWhole(this.#root, RECIPIENT)) === null ? "empty" : "locked";
  }

  async setUp(passphrase: string): Promise<string> {
    const identity = await newIdentity();
    const recoveryKey = await sealIdentity(identity, passphrase);
    await exclusively(IDENTITY, async () => {
      if ((await this.state()) !== "empty")
        throw new VaultError("busy", "This browser has a vault already. Unlock it.");
      await this.#keep(recoveryKey, identity);
    });
    return recoveryKey;
  }

  async unlock(passphrase: string): Promise<void> {
    const recoveryKey = await this.recoveryKey();
    const identity = await openIdentity(recoveryKey, passphrase);
    // Who writes to the disk can have put their own in its place, for what is made while the vault is locked.
    if ((await this.#text(RECIPIENT)) !== (await recipientOf(identity))) return this.#keep(recoveryKey, identity);
    this.#identity = identity;
  }

  async restore(recoveryKey: string, passphrase: string): Promise<void> {
    const identity = await openIdentity(recoveryKey, passphrase);
    await exclusively(IDENTITY, async () => {
      const present = await this.#text(RECIPIENT);
      if (present !== null && present !== (await recipientOf(identity)))
        throw new VaultError(
          "busy",
          "That key is of another vault, and this browser has one. Export its files and clear it first.",
        );
      await this.#keep(recoveryKey.trim(), identity);
    });
  }

  async recoveryKey(): Promise<string> {
    return (await this.#text(RECOVERY_KEY)) ?? fail("not-found", "There is no vault in this browser yet. Set it up.");
  }

  async recipient(): Promise<string> {
    return (await this.#text(RECIPIENT)) ?? fail("not-found", "There is no vault in this browser yet. Set it up.");
  }

  async signer(): Promise<Uint8Array> {
    // The answer's bytes leave this thread.
    return this.#signer.publicKey.slice();
  }

  async list(): Promise<Entry[]> {
    return this.#library.list(this.#unlocked());
  }

  async create(details: Details): Promise<string> {
    const { title, kind, people } = details;
    return this.#library.create({ title: titled(title), kind, people: named(people) }, await this.recipient());
  }

  append(id: string, bytes: Uint8Array): Promise<void> {
    return this.#library.append(id, bytes);
  }

  finish(id: string, ending: Ending): Promise<Entry> {
    return this.#library.finish(id, { ...ending, people: named(ending.people) });
  }

  cancel(id: string): Promise<void> {
    return this.#library.cancel(id);
  }

  async recover(id: string, played: Played | null, ports: readonly MessagePort[]): Promise<Entry> {
    return this.#library.recover(id, played, this.#unlocked(), ports);
  }

  async importFile(
    file: File,
    sidecar: File | null,
    preview: Preview,
    ports: readonly MessagePort[],
  ): Promise<Entry | null> {
    const identity = this.#unlocked();
    this.#importing = new AbortController();
    const { signal } = this.#importing;
    try {
      return await this.#import(file, sidecar, preview, identity, { ...this.#workers(ports), signal });
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  async cancelImport(): Promise<void> {
    this.#importing?.abort();
  }

  async open(id: string): Promise<OpenedFile> {
    const reading = await this.#library.open(id, this.#unlocked());
    this.#open.set(++this.#handles, reading);
    return { handle: this.#handles, entry: reading.entry };
  }

  async size(handle: number): Promise<number> {
    return this.#opened(handle).size();
  }

  read(handle: number, at: number, length: number): Promise<Uint8Array> {
    if (!(length <= MAX_READ_BYTES)) throw new VaultError("too-large", "64 MiB can be read at a time.");
    return this.#opened(handle).read(at, length);
  }

  async close(handle: number): Promise<void> {
    this.#open.get(handle)?.close();
    this.#open.delete(handle);
  }

  rename(id: string, title: string): Promise<Entry> {
    return this.#library.rename(id, titled(title), this.#unlocked());
  }

  remove(id: string): Promise<void> {
    return this.#library.remove(id);
  }

  share(id: string, name: string, recipient: string): Promise<Entry> {
    return this.#library.share(id, titled(name), recipient, this.#unlocked());
  }

  unshare(id: string, recipient: string): Promise<Entry> {
    return this.#library.unshare(id, recipient, this.#unlocked());
  }

  reseal(id: string, ports: readonly MessagePort[]): Promise<Entry> {
    return this.#library.reseal(id, this.#unlocked(), this.#workers(ports));
  }

  async exportSealed(id: string): Promise<SealedCopy> {
    return this.#library.exportSealed(id, this.#unlocked());
  }

  async #import(
    file: File,
    sidecar: File | null,
    preview: Preview,
    identity: string,
    workers: Workers,
  ): Promise<Entry> {
    const start = await blobBytes(file).read(0, KIND_BYTES);
    const title = titled(file.name.replace(/(\.[a-z0-9]{1,5}){1,2}$/i, ""));
    if (begins(start, AGE) || begins(start, ARMOR)) {
      const details = sidecar && (await sidecarBytes(sidecar));
      return this.#library.importSealed(file, details, title, identity, workers);
    }
    const kind = kindOf(start);
    if (!isMedia(kind))
      throw new VaultError(
        "unknown-kind",
        `"${file.name}" is no image, sound or video that is known here, and no age file.`,
      );
    return this.#library.importFile(file, { title, kind, people: [] }, preview, identity, workers);
  }

  #unlocked(): string {
    return this.#identity ?? fail("locked", "The vault is locked. Type its passphrase.");
  }

  #workers(ports: readonly MessagePort[]): Workers {
    return { ports, onProgress: this.#onProgress };
  }

  #opened(handle: number): Reading {
    return this.#open.get(handle) ?? fail("not-found", "The file was closed. Open it again.");
  }

  /** The key first: a vault with a recipient and no way to recover would lose what is sealed for it. */
  async #keep(recoveryKey: string, identity: string): Promise<void> {
    await replaceWhole(this.#root, RECOVERY_KEY, utf8(recoveryKey));
    await replaceWhole(this.#root, RECIPIENT, utf8(await recipientOf(identity)));
    this.#identity = identity;
  }

  async #text(name: string): Promise<string | null> {
    const bytes = await readWhole(this.#root, name);
    return bytes && new TextDecoder().decode(bytes);
  }
}

async function sidecarBytes(sidecar: Blob): Promise<Uint8Array> {
  if (sidecar.size > MAX_SIDECAR_BYTES) throw new VaultError("too-large", "A signature file has 256 MiB at most.");
  return blobBytes(sidecar).read(0, sidecar.size);
}

function begins(start: Uint8Array, signature: Uint8Array): boolean {
  return signature.every((byte, i) => start[i] === byte);
}

/** Names are others' to choose, and there may be many. */
function named(people: readonly string[]): string[] {
  return people.slice(0, MOST_PEOPLE).map((name) => name.slice(0, MAX_NAME));
}

function fail(code: VaultError["code"], message: string): never {
  throw new VaultError(code, message);
}
