/** Why the vault could not do something. */
export type VaultErrorCode =
  /** The file is not one of age, or its header says what this reader does not know. */
  | "not-age"
  /** None of the identities opens it. */
  | "not-for-you"
  /** A part does not authenticate: altered, moved, cut off, or of another file. */
  | "tampered"
  /** The signature is missing or not of who is named. */
  | "bad-signature"
  | "storage-full"
  | "locked"
  | "wrong-passphrase"
  /** The recovery key's checksum does not fit: a sign is wrong or missing. */
  | "mistyped"
  | "not-found"
  | "too-large"
  | "unknown-kind"
  | "unsupported"
  | "busy"
  /** A fault of this program: nothing was written. */
  | "internal";

const NAMES: Partial<Record<VaultErrorCode, string>> = {
  tampered: "TamperedError",
  "storage-full": "StorageFullError",
};

/** What every function of the vault throws and rejects with. `name` goes with what a player or recorder must tell apart. */
export class VaultError extends Error {
  override readonly name: string;
  readonly code: VaultErrorCode;

  constructor(code: VaultErrorCode, message: string) {
    super(message);
    this.code = code;
    this.name = NAMES[code] ?? "VaultError";
  }
}
