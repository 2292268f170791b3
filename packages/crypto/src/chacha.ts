import { unshared } from "./unshared.ts";

/** ChaCha20-Poly1305 (RFC 8439) without additional data, under one key. A nonce of 12 bytes seals once. */
export interface ChaCha {
  /** Ciphertext and 16-byte tag. */
  seal(nonce: Uint8Array, plaintext: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  /** Null: it did not authenticate. */
  open(nonce: Uint8Array, sealed: Uint8Array): Promise<Uint8Array<ArrayBuffer> | null>;
}

const NAME = "ChaCha20-Poly1305";
const TAG = 16;

/**
 * The browser's own where it has it (Chromium), libsodium's elsewhere (Firefox, Node 20): the same bytes. `key` is 32
 * bytes; it is copied, and may be erased afterwards.
 */
export async function chaCha20Poly1305(key: Uint8Array): Promise<ChaCha> {
  return (await native(key)) ?? portable(key);
}

/** Null where Web Crypto does not have it. */
async function native(key: Uint8Array): Promise<ChaCha | null> {
  const imported = await importNative(key);
  if (imported === null) return null;
  return {
    seal: async (iv, plaintext) =>
      new Uint8Array(await crypto.subtle.encrypt(parameters(iv), imported, unshared(plaintext))),
    async open(iv, sealed) {
      try {
        return new Uint8Array(await crypto.subtle.decrypt(parameters(iv), imported, unshared(sealed)));
      } catch (error) {
        // Web Crypto's word for a wrong tag, or for too few bytes to hold one. Anything else is a bug.
        if (error instanceof DOMException && error.name === "OperationError") return null;
        throw error;
      }
    },
  };
}

async function importNative(key: Uint8Array): Promise<CryptoKey | null> {
  try {
    // "raw-secret" is the format's name in the platform's text, which its types do not know yet.
    return await crypto.subtle.importKey("raw-secret" as "raw", unshared(key), NAME, false, ["encrypt", "decrypt"]);
  } catch (error) {
    // Node says a TypeError to the format, Firefox a NotSupportedError or a SyntaxError to the algorithm.
    if (error instanceof TypeError || error instanceof DOMException) return null;
    throw error;
  }
}

function parameters(iv: Uint8Array): Algorithm & { iv: Uint8Array<ArrayBuffer> } {
  return { name: NAME, iv: unshared(iv) };
}

/** The same from libsodium. */
export async function portable(key: Uint8Array): Promise<ChaCha> {
  const { default: sodium } = await import("libsodium-wrappers");
  await sodium.ready;
  const own = key.slice();
  return {
    seal: async (nonce, plaintext) =>
      unshared(sodium.crypto_aead_chacha20poly1305_ietf_encrypt(plaintext, null, null, nonce, own)),
    async open(nonce, sealed) {
      if (sealed.length < TAG) return null;
      try {
        return unshared(sodium.crypto_aead_chacha20poly1305_ietf_decrypt(null, sealed, null, nonce, own));
      } catch (error) {
        // The library's word for a wrong tag. A wrong length of key or nonce is a bug, and a TypeError.
        if (error instanceof TypeError) throw error;
        return null;
      }
    },
  };
}
