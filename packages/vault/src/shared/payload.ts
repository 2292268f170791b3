import { u32 } from "@sealcast/bytes";
import { type ChaCha, chaCha20Poly1305 } from "@sealcast/crypto/chacha";

/** The payload of an age file (age-encryption.org/v1, "Payload"): `nonce (16) | chunks`, each chunk with a tag. */

export const NONCE_BYTES = 16;
/** Of a whole chunk before it is sealed. */
export const CHUNK_BYTES = 64 * 1024;
export const TAG_BYTES = 16;
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;
/** Of a file key. */
export const FILE_KEY_BYTES = 16;

/** Where chunk `index` begins in the payload. */
export function chunkAt(index: number): number {
  return NONCE_BYTES + index * SEALED_CHUNK_BYTES;
}

/** How many chunks hold `plaintextBytes`: an empty file has one, which is empty. */
export function chunkCount(plaintextBytes: number): number {
  return Math.max(1, Math.ceil(plaintextBytes / CHUNK_BYTES));
}

/** Bytes of the payload that holds `plaintextBytes`. */
export function payloadBytes(plaintextBytes: number): number {
  return NONCE_BYTES + plaintextBytes + chunkCount(plaintextBytes) * TAG_BYTES;
}

/** Bytes that a finished payload of `bytes` holds; null: no payload has that length. */
export function plaintextBytes(bytes: number): number | null {
  const sealed = bytes - NONCE_BYTES;
  const last = sealed % SEALED_CHUNK_BYTES;
  if (sealed === TAG_BYTES) return 0;
  if (sealed < TAG_BYTES || (last > 0 && last <= TAG_BYTES)) return null;
  return sealed - Math.ceil(sealed / SEALED_CHUNK_BYTES) * TAG_BYTES;
}

/** A big-endian counter of 11 bytes, and a byte that says whether the chunk is the last. */
export function chunkNonce(index: number, isLast: boolean): Uint8Array<ArrayBuffer> {
  if (!Number.isSafeInteger(index) || index < 0) throw new RangeError(`${index} is no chunk's index`);
  const nonce = new Uint8Array(12);
  nonce.set(u32(Math.floor(index / 2 ** 32)), 3);
  nonce.set(u32(index % 2 ** 32), 7);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** The cipher of a payload's chunks. `fileKey` is 16 bytes and stays the caller's; `nonce` is the payload's. */
export async function payloadCipher(fileKey: Uint8Array, nonce: Uint8Array): Promise<ChaCha> {
  const secret = await crypto.subtle.importKey("raw", new Uint8Array(fileKey), "HKDF", false, ["deriveBits"]);
  const info = new TextEncoder().encode("payload");
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(nonce), info };
  const key = new Uint8Array(await crypto.subtle.deriveBits(algorithm, secret, 256));
  const cipher = await chaCha20Poly1305(key);
  key.fill(0);
  return cipher;
}
