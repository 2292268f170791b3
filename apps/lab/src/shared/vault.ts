/** What the experiment `vault` asks of the page, and the page of its worker. */

export type VaultArm =
  /** The vault's own chunk workers, so many. */
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

export interface VaultPage {
  /** Writes a file of noise to the private file system and reads it back. Rejects when what comes back is not what went in. */
  vaultPass(pass: VaultPass): Promise<VaultPassed>;
}

/** From the page to the worker. */
export interface ToVaultWorker extends VaultPass {
  readonly ports: readonly MessagePort[];
}

export type FromVaultWorker = VaultPassed | { readonly error: string };
