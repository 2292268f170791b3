import { highWord, lowWord } from "@sealcast/bytes";
import type { FrameKey } from "./frame-key.ts";
import { unshared } from "./unshared.ts";

/** Ciphertext and 16-byte tag of one frame. A counter is used once under a key (see [Note: Nonces]); RangeError above 64 bits. */
export async function seal(
  frameKey: FrameKey,
  counter: bigint | number,
  aad: Uint8Array,
  plaintext: Uint8Array,
): Promise<ArrayBuffer> {
  return crypto.subtle.encrypt(parameters(nonce(frameKey.salt, counter), aad), frameKey.key, unshared(plaintext));
}

/** The plaintext, an array that spans its whole buffer; null: it did not authenticate. `sealed` ends with the tag. */
export async function open(
  frameKey: FrameKey,
  counter: bigint | number,
  aad: Uint8Array,
  sealed: Uint8Array,
): Promise<Uint8Array<ArrayBuffer> | null> {
  return decrypt(frameKey.key, nonce(frameKey.salt, counter), aad, sealed);
}

export async function decrypt(
  key: CryptoKey,
  iv: Uint8Array<ArrayBuffer>,
  aad: Uint8Array,
  sealed: Uint8Array,
): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return new Uint8Array(await crypto.subtle.decrypt(parameters(iv, aad), key, unshared(sealed)));
  } catch (error) {
    // Web Crypto's word for a wrong tag, or for too few bytes to hold one. Anything else is a bug.
    if (error instanceof DOMException && error.name === "OperationError") return null;
    throw error;
  }
}

export function parameters(iv: Uint8Array<ArrayBuffer>, aad: Uint8Array): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: unshared(aad) };
}

/** Salt XOR counter (RFC 9605 section 4.4.3). */
function nonce(salt: Uint8Array<ArrayBuffer>, counter: bigint | number): Uint8Array<ArrayBuffer> {
  const nonce = salt.slice();
  flip(nonce, 8, highWord(counter));
  flip(nonce, 12, lowWord(counter));
  return nonce;
}

/** XORs `word`, 32 bits, into the bytes that end before `end`. */
function flip(bytes: Uint8Array, end: number, word: number): void {
  for (let at = end - 1, rest = word; rest !== 0; at--, rest >>>= 8) bytes[at] = (bytes[at] ?? 0) ^ (rest & 255);
}
