/** What the experiment `vault` asks of the page, and the page of its worker. */

export type VaultArm =
  /** A number of the vault's own chunk workers. */
  | { readonly type: "sealed"; readonly workers: number }
  /** The same file, in the clear. */
  | { readonly type: "plain" };

export interface VaultPass {
  readonly arm: VaultArm;
  readonly bytes: number;
}

/** Milliseconds from the first byte to the last, flushed to the disk where it was written. */
export interface VaultPassed {
  readonly writeMs: number;
  readonly readMs: number;
}

/** Each seek from one place to another, all over the file; between two places; to where a slider is let go. */
export type SeekKind = "random" | "to and fro" | "dragged";

/** A recording that the product's muxer made, sealed in the vault. */
export interface RecordingMade {
  readonly bytes: number;
  readonly seconds: number;
  readonly fragments: number;
  /** Muxed, sealed and written. */
  readonly makeMs: number;
  /** To find all fragments by the file's own list, and without it from box to box. */
  readonly indexMs: number;
  readonly walkMs: number;
}

export interface LabVault {
  /** Makes one of at least `bytes`, and opens it in the product's player for what follows. */
  makeRecording(bytes: number): Promise<RecordingMade>;
  /** Milliseconds, of each seek. */
  seeks(kind: SeekKind, count: number): Promise<number[]>;
  /** MB a second, from the file's start to its end. */
  readThrough(): Promise<number>;
  /** Has the player go through all of the file. */
  playThrough(): Promise<void>;
  /** Writes a file of noise to the private file system and reads it back. Rejects when what comes back is not what went in. */
  vaultPass(pass: VaultPass): Promise<VaultPassed>;
}

/** From the page to the worker. */
export interface ToVaultWorker extends VaultPass {
  readonly ports: readonly MessagePort[];
}

export type FromVaultWorker = VaultPassed | { readonly error: string };
