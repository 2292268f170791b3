/** What the vault worker and a chunk worker say to each other: one job at a time, range after range. */

/** Where a range's bytes come from. */
export type JobSource =
  | { readonly type: "plain"; readonly blob: Blob }
  | { readonly type: "sealed"; readonly payload: FileSystemFileHandle; readonly fileKey: Uint8Array }
  /** With each range, from who shares them out. */
  | { readonly type: "given" };

/** Where they go: sealed into a payload, which begins with its nonce already, or to who asked. */
export type JobTarget =
  | {
      readonly type: "sealed";
      readonly payload: FileSystemFileHandle;
      readonly fileKey: Uint8Array;
      readonly nonce: Uint8Array;
      /** Whether other workers write the same payload at a time. */
      readonly isShared: boolean;
    }
  | { readonly type: "memory" };

export type ToChunk =
  | { readonly type: "job"; readonly source: JobSource; readonly target: JobTarget; readonly bytes: number }
  /** Chunks `first` to `first + count` of the job. Each index comes once. `plain`: their bytes, where they are given. */
  | { readonly type: "range"; readonly first: number; readonly count: number; readonly plain?: Uint8Array }
  | { readonly type: "end" };

export type FromChunk =
  | { readonly type: "ready" }
  /** All is flushed, and no file is open any more. */
  | { readonly type: "ended" }
  /** `bytes`: the digests of the sealed chunks, or what was opened. */
  | { readonly type: "range"; readonly first: number; readonly count: number; readonly bytes: Uint8Array }
  | { readonly type: "failed"; readonly code: string; readonly message: string };
