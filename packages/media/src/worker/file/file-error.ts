import type { FileFailure } from "../../shared/file.ts";

/** A file could not be sealed, opened or written. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly failure: FileFailure;

  constructor(failure: FileFailure, cause?: unknown) {
    super(failure, { cause });
    this.failure = failure;
  }
}
