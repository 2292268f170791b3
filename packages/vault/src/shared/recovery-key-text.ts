/** How a recovery key begins. */
export const RECOVERY_KEY_PREFIX = "SEALCAST-VAULT-2.";
/** How those begin that were made without a checksum. */
export const UNCHECKED_PREFIX = "SEALCAST-VAULT-1.";

/** The recovery key in a text that may say more, as the saved file does; the text itself where there is none. */
export function recoveryKeyIn(text: string): string {
  return /SEALCAST-VAULT-\d\.[A-Za-z0-9_-]+/.exec(text)?.[0] ?? text.trim();
}
