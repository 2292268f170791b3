export { VaultError, type VaultErrorCode } from "../shared/error.ts";
export { isHybridRecipient } from "../shared/header.ts";
export type { Details, Entry, Played, SealedCopy, VaultState } from "../shared/messages.ts";
export { RECOVERY_KEY_PREFIX, recoveryKeyIn } from "../shared/recovery-key-text.ts";
export { OpenFile, type SpawnVault, streamed, VaultClient, Writing } from "./vault.ts";
