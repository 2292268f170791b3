import sodium from "libsodium-wrappers-sumo";
import { unshared } from "./unshared.ts";

/** What a guess costs: passes over `memoryKiB` of memory. */
export interface Argon2Cost {
  readonly passes: number;
  readonly memoryKiB: number;
}

/** Bytes of a salt. */
export const ARGON2_SALT_BYTES = 16;

/** Argon2id (RFC 9106), one lane: 32 bytes from a passphrase. `salt` is 16 random bytes. Blocks its thread meanwhile. */
export async function argon2id(
  passphrase: string,
  salt: Uint8Array,
  { passes, memoryKiB }: Argon2Cost,
): Promise<Uint8Array<ArrayBuffer>> {
  await sodium.ready;
  const algorithm = sodium.crypto_pwhash_ALG_ARGON2ID13;
  return unshared(sodium.crypto_pwhash(32, passphrase, salt, passes, memoryKiB * 1024, algorithm));
}
