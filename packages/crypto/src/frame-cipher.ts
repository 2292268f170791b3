import { open, seal } from "./aead.ts";
import { deriveFrameKey } from "./frame-key.ts";
import type { Suite } from "./suite.ts";

/** Seals and opens the frames of one KID. A counter is used once (see [Note: Nonces]); RangeError unless it is in 0..2^53-1. */
export interface FrameCipher {
  /** Ciphertext and tag, an array that spans its whole buffer. */
  seal(counter: number, aad: Uint8Array, plaintext: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  /** The plaintext, an array that spans its whole buffer; null: it did not authenticate. `sealed` ends with the tag. */
  open(counter: number, aad: Uint8Array, sealed: Uint8Array): Promise<Uint8Array<ArrayBuffer> | null>;
}

/** SFrame's cipher (RFC 9605 section 4.4) of one KID. `baseKey` comes from importBaseKey. */
export async function frameCipher(suite: Suite, baseKey: CryptoKey, kid: bigint): Promise<FrameCipher> {
  const key = await deriveFrameKey(suite, baseKey, kid);
  return {
    seal: async (counter, aad, plaintext) => new Uint8Array(await seal(key, counter, aad, plaintext)),
    open: (counter, aad, sealed) => open(key, counter, aad, sealed),
  };
}
