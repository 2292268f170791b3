import { Cursor, concat, fromBase64url, OutOfBytes, toBase64url, u32, utf8 } from "@sealcast/bytes";
import { openWithSecret, random, sealWithSecret } from "@sealcast/crypto";
import { ARGON2_SALT_BYTES, type Argon2Cost, argon2id } from "@sealcast/crypto/argon2id";
import { VaultError } from "./error.ts";

/**
 * The vault's identity, guarded by a passphrase: text that a person keeps elsewhere, and the browser keeps beside the
 * files. `SEALCAST-VAULT-1.` and base64url of `salt (16) | passes (4) | memory in KiB (4) | sealed identity`.
 */

const PREFIX = "SEALCAST-VAULT-1.";
const LABEL = "Sealcast vault identity";
const MAX_LENGTH = 1000;
/** RFC 9106 section 4, the second of the recommended choices, with one lane: libsodium has no more. */
const COST: Argon2Cost = { passes: 3, memoryKiB: 64 * 1024 };
/** Text from elsewhere may ask for no more than this. */
const MOST: Argon2Cost = { passes: 10, memoryKiB: 1024 * 1024 };

/** @param identity age's own text, `AGE-SECRET-KEY-PQ-1...` */
export async function sealIdentity(identity: string, passphrase: string, cost = COST): Promise<string> {
  const head = concat(random(ARGON2_SALT_BYTES), u32(cost.passes), u32(cost.memoryKiB));
  const secret = await argon2id(normal(passphrase), head.subarray(0, ARGON2_SALT_BYTES), cost);
  const sealed = await sealWithSecret(secret, LABEL, head, utf8(identity));
  return PREFIX + toBase64url(concat(head, sealed));
}

/**
 * The identity.
 *
 * @throws VaultError `wrong-passphrase`, or `not-age` for text that is no recovery key
 */
export async function openIdentity(recoveryKey: string, passphrase: string): Promise<string> {
  const { head, cost, sealed } = parse(recoveryKey);
  const secret = await argon2id(normal(passphrase), head.subarray(0, ARGON2_SALT_BYTES), cost);
  const identity = await openWithSecret(secret, LABEL, head, sealed);
  if (identity === null)
    throw new VaultError("wrong-passphrase", "That passphrase does not open this vault. Try again.");
  return new TextDecoder().decode(identity);
}

function parse(recoveryKey: string): { head: Uint8Array; cost: Argon2Cost; sealed: Uint8Array } {
  const text = recoveryKey.trim();
  const bytes = text.length <= MAX_LENGTH && text.startsWith(PREFIX) ? fromBase64url(text.slice(PREFIX.length)) : null;
  try {
    const cursor = new Cursor(bytes ?? new Uint8Array());
    cursor.bytes(ARGON2_SALT_BYTES);
    const cost = { passes: cursor.u32(), memoryKiB: cursor.u32() };
    const head = (bytes ?? new Uint8Array()).subarray(0, ARGON2_SALT_BYTES + 8);
    const isFair =
      cost.passes >= 1 && cost.passes <= MOST.passes && cost.memoryKiB >= 8 && cost.memoryKiB <= MOST.memoryKiB;
    if (isFair) return { head, cost, sealed: cursor.rest() };
  } catch (error) {
    if (!(error instanceof OutOfBytes)) throw error;
  }
  throw new VaultError("not-age", "This is no recovery key of a vault, or a part of it is missing. Copy all of it.");
}

/** One passphrase, however a keyboard composes its letters. */
function normal(passphrase: string): string {
  return passphrase.normalize("NFKC");
}
