import { concat, u64 } from "@sealcast/bytes";
import sodium from "libsodium-wrappers";
import type { FrameCipher } from "./frame-cipher.ts";
import { unshared } from "./unshared.ts";

const TAG = 16;

/**
 * A second, independent layer around another cipher's ciphertext and tag: XChaCha20-Poly1305 under a key of its own, with
 * the outer nonce of [Note: Nonces] and the same additional data. `outerKey` is 32 bytes and stays the caller's; it may
 * serve every KID of an epoch.
 */
export async function secondLayer(inner: FrameCipher, outerKey: Uint8Array, kid: bigint): Promise<FrameCipher> {
  await sodium.ready;
  const nonce = (counter: number) => concat(u64(kid), u64(BigInt(counter)), new Uint8Array(8));
  return {
    async seal(counter, aad, plaintext) {
      const once = await inner.seal(counter, aad, plaintext);
      return sealOuter(once, aad, nonce(counter), outerKey);
    },
    async open(counter, aad, sealed) {
      const once = openOuter(sealed, aad, nonce(counter), outerKey);
      return once && inner.open(counter, aad, once);
    },
  };
}

/** `nonce` is 24 bytes, `key` 32. Both functions need the library to be ready, as it is behind secondLayer. */
export function sealOuter(
  plaintext: Uint8Array,
  aad: Uint8Array,
  nonce: Uint8Array,
  key: Uint8Array,
): Uint8Array<ArrayBuffer> {
  return unshared(sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, aad, null, nonce, key));
}

/** Null: it did not authenticate. */
export function openOuter(sealed: Uint8Array, aad: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array | null {
  if (sealed.length < TAG) return null;
  try {
    return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, aad, nonce, key);
  } catch (error) {
    // The library's word for a wrong tag. A wrong length of key or nonce is a bug, and a TypeError.
    if (error instanceof TypeError) throw error;
    return null;
  }
}
