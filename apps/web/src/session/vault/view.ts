import type { Entry, OpenFile, SealedCopy, VaultErrorCode, VaultState } from "@sealcast/vault";

export { RECOVERY_KEY_PREFIX, recoveryKeyIn } from "@sealcast/vault";

/** What the screens show of the vault and what they may ask of it. Plain data: no keys. */

export type Failure = VaultErrorCode;

/** Who signed a file, as this browser knows them. */
export type SignatureState =
  | { readonly by: "own" }
  /** A person whom this browser has met, under the name that it remembers. */
  | { readonly by: "known"; readonly name: string; readonly isVerified: boolean }
  | { readonly by: "stranger" }
  | { readonly by: "nobody" };

export interface ShownEntry extends Entry {
  /** Null: not finished, or damaged. */
  readonly signing: SignatureState | null;
}

export interface Import {
  readonly key: number;
  /** Of the file. */
  readonly name: string;
  /** From 0 to 1; null: waits for the one before. */
  readonly done: number | null;
  /** It stays in the list until it is dismissed. */
  readonly failure: Failure | "lone-signature" | null;
}

interface Storage {
  readonly freeBytes: number;
  /** False: the browser may delete the vault where the disk is nearly full. */
  readonly isPersistent: boolean;
}

export interface VaultView {
  /** `unavailable`: the browser gives this page no private file system. */
  readonly phase: "opening" | "unavailable" | VaultState;
  /** Passphrase and recovery key opened the vault once after it was set up. */
  readonly isTried: boolean;
  /** Latest first; null before they are listed. */
  readonly entries: readonly ShownEntry[] | null;
  readonly imports: readonly Import[];
  /** How far files are that are being sealed again, from 0 to 1, by id. */
  readonly resealed: Readonly<Record<string, number>>;
  readonly storage: Storage | null;
}

/** All reject with VaultError. */
export interface VaultActions {
  setUp(passphrase: string): Promise<void>;
  /** Opens the vault from its recovery key. Counts as tried. */
  restore(recoveryKey: string, passphrase: string): Promise<void>;
  unlock(passphrase: string): Promise<void>;
  recoveryKey(): Promise<string>;
  /** To whom others share. */
  recipient(): Promise<string>;
  rename(id: string, title: string): Promise<void>;
  remove(id: string): Promise<void>;
  recover(id: string): Promise<void>;
  share(id: string, name: string, recipient: string): Promise<void>;
  /** Resolves when the recipient is off the list. Sealing again follows, and is shown in `resealed`. */
  unshare(id: string, recipient: string): Promise<void>;
  reseal(id: string): Promise<void>;
  /** One after the other. How they go is shown in `imports`. */
  importFiles(files: readonly File[]): void;
  /** Takes an import off the list. One that is under way ends, and nothing of it is left. */
  endImport(key: number): void;
  /** The file as it was before it was sealed: the caller closes it. */
  open(id: string): Promise<OpenFile>;
  exportSealed(id: string): Promise<SealedCopy>;
  /** The same bytes as `open`, from start to end. */
  exportPlain(id: string): Promise<ReadableStream<Uint8Array>>;
  /** Asks the browser to keep the vault. */
  persist(): Promise<void>;
}
