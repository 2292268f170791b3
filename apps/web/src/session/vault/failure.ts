import { VaultError } from "@sealcast/vault";
import type { Failure } from "./view.ts";

/** Why the vault could not do something: for who shows it. */
export function failureOf(error: unknown): Failure {
  return error instanceof VaultError ? error.code : "internal";
}
