import { PinStore } from "@sealcast/keys";
import { indexOf, previewOf, UnreadableRecording } from "@sealcast/recording";
import { type Cancel, type Clock, every, milli, systemClock } from "@sealcast/time";
import { type Entry, type OpenFile, type Played, type SealedCopy, streamed, VaultClient } from "@sealcast/vault";
import { createStore, type StoreApi } from "zustand/vanilla";
import { spawnPreview, spawnVault } from "../workers.ts";
import { failureOf } from "./failure.ts";
import { freeBytes } from "./free-bytes.ts";
import { type Importable, paired } from "./importing.ts";
import { hasTooManyPixels } from "./pixels.ts";
import { signingOf } from "./signing.ts";
import { isTried, setTried } from "./tried.ts";
import type { ShownEntry, VaultActions, VaultView } from "./view.ts";

/** How often is looked at a recording that another page is making. */
const LOOK_EVERY = milli(5_000);

export interface OpenVault {
  store: StoreApi<VaultView>;
  actions: VaultActions;
  close(): void;
}

/** Opens this browser's vault for its page. The caller closes it, which locks it. */
export function openVault(): OpenVault {
  const vault = new Vault(systemClock);
  void vault.begin();
  return { store: vault.store, actions: vault, close: () => vault.close() };
}

/**
 * The vault at its page: locked at first, then listed. Imports go one after the other, since each takes all cores. Files that
 * still have a key that a removed recipient knows are sealed again as soon as the vault is unlocked.
 */
class Vault implements VaultActions {
  readonly store = createStore<VaultView>(() => FIRST);
  readonly #client = new VaultClient(spawnVault);
  readonly #pins = new PinStore();
  readonly #importable = new Map<number, Importable>();
  readonly #cancel: Cancel;
  #shown: (entry: Entry) => ShownEntry = (entry) => ({ ...entry, signing: null });
  #imports = 0;
  #importing: { key: number; cancelling: AbortController } | null = null;

  constructor(clock: Clock) {
    this.#cancel = every(clock, LOOK_EVERY, () => this.#look());
    this.#client.onProgress = (id, done, total) => this.#progress(id, total === 0 ? 1 : done / total);
    globalThis.addEventListener("focus", this.#refreshed);
  }

  async begin(): Promise<void> {
    try {
      this.#set({ isTried: isTried() });
      this.#set({ phase: await this.#client.call("state") });
      await this.#weigh();
    } catch {
      this.#set({ phase: "unavailable" });
    }
  }

  close(): void {
    this.#cancel();
    globalThis.removeEventListener("focus", this.#refreshed);
    this.#client.end();
  }

  async setUp(passphrase: string): Promise<void> {
    setTried(false);
    this.#set({ isTried: false });
    await this.#client.call("setUp", passphrase);
    await this.#enter();
  }

  async restore(recoveryKey: string, passphrase: string): Promise<void> {
    await this.#client.call("restore", recoveryKey, passphrase);
    setTried(true);
    this.#set({ isTried: true });
    await this.#enter();
  }

  async unlock(passphrase: string): Promise<void> {
    await this.#client.call("unlock", passphrase);
    await this.#enter();
  }

  recoveryKey(): Promise<string> {
    return this.#client.call("recoveryKey");
  }

  recipient(): Promise<string> {
    return this.#client.call("recipient");
  }

  async rename(id: string, title: string): Promise<void> {
    this.#put(await this.#client.call("rename", id, title));
  }

  async remove(id: string): Promise<void> {
    await this.#client.call("remove", id);
    await this.#refresh();
  }

  async recover(id: string): Promise<void> {
    this.#put(await this.#client.recover(id, await this.#played(id)));
  }

  /** How long what was written plays, but for the last second, which the journal has. Null: it is no recording. */
  async #played(id: string): Promise<Played | null> {
    const file = await this.#client.open(id);
    try {
      const { seconds, mimeType } = await indexOf(file);
      return { seconds, kind: mimeType };
    } catch (error) {
      if (error instanceof UnreadableRecording) return null;
      throw error;
    } finally {
      void file.close();
    }
  }

  async share(id: string, name: string, recipient: string): Promise<void> {
    this.#put(await this.#client.call("share", id, name, recipient));
  }

  async unshare(id: string, recipient: string): Promise<void> {
    this.#put(await this.#client.call("unshare", id, recipient));
    void this.reseal(id).catch(() => undefined);
  }

  async reseal(id: string): Promise<void> {
    if (id in this.#view.resealed) return;
    this.#set({ resealed: { ...this.#view.resealed, [id]: 0 } });
    try {
      this.#put(await this.#client.reseal(id));
    } finally {
      const { [id]: _, ...others } = this.#view.resealed;
      this.#set({ resealed: others });
    }
  }

  importFiles(files: readonly File[]): void {
    const { importable, lone } = paired(files);
    const fresh = { key: 0, done: null, failure: null };
    const waiting = importable.map((one) => {
      this.#importable.set(++this.#imports, one);
      return { ...fresh, key: this.#imports, name: one.file.name };
    });
    const alone = lone.map(({ name }) => ({
      ...fresh,
      key: ++this.#imports,
      name,
      failure: "lone-signature" as const,
    }));
    this.#set({ imports: [...this.#view.imports, ...waiting, ...alone] });
    void this.#importWaiting();
  }

  endImport(key: number): void {
    if (this.#importing?.key === key) return this.#importing.cancelling.abort();
    this.#importable.delete(key);
    this.#set({ imports: this.#view.imports.filter((one) => one.key !== key) });
  }

  open(id: string): Promise<OpenFile> {
    return this.#client.open(id);
  }

  exportSealed(id: string): Promise<SealedCopy> {
    return this.#client.call("exportSealed", id);
  }

  async exportPlain(id: string): Promise<ReadableStream<Uint8Array>> {
    return streamed(await this.#client.open(id));
  }

  async persist(): Promise<void> {
    await navigator.storage.persist();
    await this.#weigh();
  }

  get #view(): VaultView {
    return this.store.getState();
  }

  #set(change: Partial<VaultView>): void {
    this.store.setState(change);
  }

  async #enter(): Promise<void> {
    this.#set({ phase: "unlocked" });
    await this.#refresh();
    const left = (this.#view.entries ?? []).filter(({ state }) => state === "resealing");
    // Another tab may be at it. What fails stays as it is, and shows.
    for (const { id } of left) void this.reseal(id).catch(() => undefined);
  }

  async #refresh(): Promise<void> {
    const [entries, own, pins] = await Promise.all([
      this.#client.call("list"),
      this.#client.call("signer"),
      this.#pins.all(),
    ]);
    this.#shown = (entry) => ({ ...entry, signing: signingOf(entry, own, pins) });
    this.#set({ entries: entries.map(this.#shown) });
    await this.#weigh();
  }

  readonly #refreshed = (): void => {
    if (this.#view.entries !== null) void this.#refresh().catch(() => undefined);
  };

  #look(): void {
    if (this.#view.entries?.some(({ state }) => state === "writing")) this.#refreshed();
  }

  #put(entry: Entry): void {
    const shown = this.#shown(entry);
    this.#set({ entries: (this.#view.entries ?? []).map((other) => (other.id === entry.id ? shown : other)) });
  }

  async #weigh(): Promise<void> {
    const [free, isPersistent] = await Promise.all([freeBytes(), navigator.storage.persisted()]);
    this.#set({ storage: { freeBytes: free, isPersistent } });
  }

  #progress(id: string, done: number): void {
    if (id in this.#view.resealed) return this.#set({ resealed: { ...this.#view.resealed, [id]: done } });
    // An import's id is new, and there is one at a time.
    const imports = this.#view.imports.map((one) =>
      one.done !== null && one.failure === null ? { ...one, done } : one,
    );
    this.#set({ imports });
  }

  async #importWaiting(): Promise<void> {
    if (this.#importing !== null) return;
    for (const [key, one] of this.#importable) {
      this.#importable.delete(key);
      const cancelling = new AbortController();
      this.#importing = { key, cancelling };
      const failure = await this.#import(key, one, cancelling.signal).then(() => null, failureOf);
      this.#importing = null;
      if (failure === null) this.endImport(key);
      else this.#changeImport(key, { failure });
    }
  }

  async #import(key: number, { file, sidecar }: Importable, signal: AbortSignal): Promise<void> {
    this.#changeImport(key, { done: 0 });
    const found = (await hasTooManyPixels(file)) ? UNSEEN : await previewOf(file, spawnPreview, signal);
    if (signal.aborted) return;
    const preview = { ...found, thumbnail: found.thumbnail ?? new Uint8Array() };
    const entry = await this.#client.importFile(file, { sidecar, preview, signal });
    if (entry !== null) await this.#refresh();
  }

  #changeImport(key: number, to: Partial<VaultView["imports"][number]>): void {
    this.#set({ imports: this.#view.imports.map((one) => (one.key === key ? { ...one, ...to } : one)) });
  }
}

/** What is found out of a file that is not looked at. */
const UNSEEN = { seconds: null, thumbnail: null };

const FIRST: VaultView = {
  phase: "opening",
  isTried: true,
  entries: null,
  imports: [],
  resealed: {},
  storage: null,
};
