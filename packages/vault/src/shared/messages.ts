import type { VaultErrorCode } from "./error.ts";

/** What the page and the vault worker say to each other. Every call is answered once, in any order. */

export type VaultState =
  /** No identity was made yet. */
  | "empty"
  /** Files can be written; nothing can be read before the passphrase comes. */
  | "locked"
  | "unlocked";

/** One file of the vault, as a list shows it. */
export interface Entry {
  /** Names the file here: 32 hexadecimal digits. */
  readonly id: string;
  readonly title: string;
  /** Media type, with codecs where they are known. */
  readonly kind: string;
  /** Names of those who are in it, as they were shown. */
  readonly people: readonly string[];
  /** Milliseconds since 1970. */
  readonly created: number;
  /** How long it plays; null: not known, or it does not. */
  readonly seconds: number | null;
  /** Of the file itself. */
  readonly bytes: number;
  readonly state:
    | "finished"
    /** Its writer ended early: `recover` finishes it. */
    | "unfinished"
    /** A page is writing it. */
    | "writing"
    /** A recipient was taken away: `reseal` seals it again under another key. */
    | "resealing"
    /** Its details do not authenticate: it cannot be played. */
    | "damaged";
  /** Ed25519 public key (32 bytes) of who signed it, checked; null: nobody did, or it is not finished. */
  readonly signer: Uint8Array | null;
  /** A small JPEG; empty: there is none. */
  readonly thumbnail: Uint8Array;
  readonly shared: readonly { readonly name: string; readonly recipient: string }[];
}

/** What is known when a file begins. */
export interface Details {
  readonly title: string;
  readonly kind: string;
  readonly people: readonly string[];
}

/** How a file plays. */
export interface Played {
  readonly seconds: number | null;
  readonly kind: string;
}

/** What an imported file shows of itself. */
export interface Preview {
  readonly seconds: number | null;
  /** As in Entry. */
  readonly thumbnail: Uint8Array;
}

/** What is known when it ends. */
export interface Ending extends Played {
  /** As in Details: everybody who was in it. */
  readonly people: readonly string[];
  readonly thumbnail: Uint8Array;
}

/** A file that is open for reading. */
export interface OpenedFile {
  /** Names it in `size`, `read` and `close`. */
  readonly handle: number;
  readonly entry: Entry;
}

/** What leaves the vault sealed. */
export interface SealedCopy {
  /** An age file. What is large of it lies on the disk: it takes no memory, and can be read while the vault's file is there. */
  readonly file: Blob;
  /** Its signed details, which are kept beside it. */
  readonly sidecar: Uint8Array;
}

/** What the vault worker does, by name. All reject with VaultError. */
export interface VaultCalls {
  state(): Promise<VaultState>;
  /** Makes the vault's identity; gives the recovery key. */
  setUp(passphrase: string): Promise<string>;
  unlock(passphrase: string): Promise<void>;
  /** Takes over the identity of another vault, or of this one's past. */
  restore(recoveryKey: string, passphrase: string): Promise<void>;
  recoveryKey(): Promise<string>;
  /** To whom others share: age's text. */
  recipient(): Promise<string>;
  /** Who signs what is made here: an Ed25519 public key, 32 bytes. */
  signer(): Promise<Uint8Array>;
  list(): Promise<Entry[]>;
  create(details: Details): Promise<string>;
  append(id: string, bytes: Uint8Array): Promise<void>;
  finish(id: string, ending: Ending): Promise<Entry>;
  cancel(id: string): Promise<void>;
  /** `played`: what is known of it by now; null where that is nothing. */
  recover(id: string, played: Played | null, ports: readonly MessagePort[]): Promise<Entry>;
  /** Any image, audio or video file, or a sealed one with its sidecar; one at a time. Null: it was cancelled. */
  importFile(file: File, sidecar: File | null, preview: Preview, ports: readonly MessagePort[]): Promise<Entry | null>;
  /** Ends the import that is under way, and removes what it wrote. */
  cancelImport(): Promise<void>;
  open(id: string): Promise<OpenedFile>;
  /** Bytes at present. */
  size(handle: number): Promise<number>;
  read(handle: number, at: number, length: number): Promise<Uint8Array>;
  close(handle: number): Promise<void>;
  rename(id: string, title: string): Promise<Entry>;
  remove(id: string): Promise<void>;
  share(id: string, name: string, recipient: string): Promise<Entry>;
  unshare(id: string, recipient: string): Promise<Entry>;
  reseal(id: string, ports: readonly MessagePort[]): Promise<Entry>;
  exportSealed(id: string): Promise<SealedCopy>;
}

export type CallName = keyof VaultCalls;

/** From the page. */
export interface VaultCall {
  readonly number: number;
  readonly name: CallName;
  readonly args: readonly unknown[];
}

/** From the worker. */
export type FromVault =
  | { readonly type: "done"; readonly number: number; readonly value: unknown }
  | { readonly type: "failed"; readonly number: number; readonly code: VaultErrorCode; readonly message: string }
  /** How far an import or a resealing has come: bytes of `total`. */
  | { readonly type: "progress"; readonly id: string; readonly done: number; readonly total: number };
