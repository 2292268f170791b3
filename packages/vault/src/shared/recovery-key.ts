import { Cursor, concat, equal, fromBase64url, OutOfBytes, toBase64url, u32, utf8 } from "@sealcast/bytes";
import { openWithSecret, random, sealWithSecret } from "@sealcast/crypto";
import { ARGON2_SALT_BYTES, type Argon2Cost, argon2id } from "@sealcast/crypto/argon2id";
import { VaultError } from "./error.ts";
import { RECOVERY_KEY_PREFIX, UNCHECKED_PREFIX } from "./recovery-key-text.ts";

/**
 * The vault's identity, guarded by a passphrase: text that a person keeps elsewhere, and the browser keeps beside the
 * files. `SEALCAST-VAULT-2.` and base64url of `salt (16) | passes (4) | memory in KiB (4) | sealed identity | checksum (4)`.
 * The checksum tells a typo from another passphrase. Keys of version 1, made before it, have none and open as well.
 */

const CHECKSUM_BYTES = 4;
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
  const body = concat(head, sealed);
  return RECOVERY_KEY_PREFIX + toBase64url(concat(body, await checksum(body)));
}

/**
 * The identity.
 *
 * @throws VaultError before the passphrase is tried: `not-age` for text that is no recovery key, `mistyped` for one with a
 * typo; then `wrong-passphrase`
 */
export async function openIdentity(recoveryKey: string, passphrase: string): Promise<string> {
  const { head, cost, sealed } = parse(await bodyOf(recoveryKey));
  const secret = await argon2id(normal(passphrase), head.subarray(0, ARGON2_SALT_BYTES), cost);
  const identity = await openWithSecret(secret, LABEL, head, sealed);
  if (identity === null)
    throw new VaultError("wrong-passphrase", "That passphrase does not open this vault. Try again.");
  return new TextDecoder().decode(identity);
}

/** What the text holds, without its checksum; null where it holds nothing. */
async function bodyOf(recoveryKey: string): Promise<Uint8Array | null> {
  const text = recoveryKey.trim();
  if (text.length > MAX_LENGTH) return null;
  if (text.startsWith(UNCHECKED_PREFIX)) return fromBase64url(text.slice(UNCHECKED_PREFIX.length));
  if (!text.startsWith(RECOVERY_KEY_PREFIX)) return null;
  const bytes = fromBase64url(text.slice(RECOVERY_KEY_PREFIX.length)) ?? new Uint8Array();
  const end = Math.max(0, bytes.length - CHECKSUM_BYTES);
  const body = bytes.subarray(0, end);
  if (equal(await checksum(body), bytes.subarray(end))) return body;
  throw new VaultError(
    "mistyped",
    "This recovery key has a typo, or a part of it is missing. Compare it sign by sign.",
  );
}

function parse(body: Uint8Array | null): { head: Uint8Array; cost: Argon2Cost; sealed: Uint8Array } {
  try {
    const cursor = new Cursor(body ?? new Uint8Array());
    cursor.bytes(ARGON2_SALT_BYTES);
    const cost = { passes: cursor.u32(), memoryKiB: cursor.u32() };
    const head = (body ?? new Uint8Array()).subarray(0, ARGON2_SALT_BYTES + 8);
    const isFair =
      cost.passes >= 1 && cost.passes <= MOST.passes && cost.memoryKiB >= 8 && cost.memoryKiB <= MOST.memoryKiB;
    if (isFair) return { head, cost, sealed: cursor.rest() };
  } catch (error) {
    if (!(error instanceof OutOfBytes)) throw error;
  }
  throw new VaultError("not-age", "This is no recovery key of a vault, or a part of it is missing. Copy all of it.");
}

/** Of what is no secret: the text itself. */
async function checksum(body: Uint8Array): Promise<Uint8Array> {
  const digest = await crypto.subtle.digest("SHA-256", Uint8Array.from(body));
  return new Uint8Array(digest, 0, CHECKSUM_BYTES);
}

/** One passphrase, however a keyboard composes its letters. */
function normal(passphrase: string): string {
  return passphrase.normalize("NFKC");
}
