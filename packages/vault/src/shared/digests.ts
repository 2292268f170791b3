import { concat, equal, u64, utf8 } from "@sealcast/bytes";

/** What a recording's signature covers: its sealed chunks, each by SHA-256, with what says which recording they are. */

export const DIGEST_BYTES = 32;

/** SHA-256 of a sealed chunk. */
export async function digestOf(sealed: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", sealed as Uint8Array<ArrayBuffer>));
}

/** Whether the chunk with this digest is number `index` of those in `digests`. */
export function digestAt(digests: Uint8Array, index: number, digest: Uint8Array): boolean {
  return equal(digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES), digest);
}

/** Who signed what, from the header apart: sharing rewrites the header, and the signature stays good. */
export interface Signed {
  /** Of the recording, 16 bytes. */
  readonly id: Uint8Array;
  /** Of the payload, 16 bytes. */
  readonly nonce: Uint8Array;
  /** Bytes of the whole payload. */
  readonly payloadBytes: number;
  /** Of all chunks, one after the other. */
  readonly digests: Uint8Array;
  /** What the sender says of the recording, in the bytes in which it is kept. */
  readonly facts: Uint8Array;
  readonly thumbnail: Uint8Array;
}

/** What the sender signs with Ed25519. */
export async function signedBytes(signed: Signed): Promise<Uint8Array<ArrayBuffer>> {
  const { id, nonce, payloadBytes, digests, facts, thumbnail } = signed;
  const roots = await Promise.all([digests, facts, thumbnail].map(digestOf));
  return concat(utf8("Sealcast recording 2\0"), id, nonce, u64(BigInt(payloadBytes)), ...roots);
}
