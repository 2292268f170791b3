import { concat } from "@sealcast/bytes";
import { decrypt, parameters } from "./aead.ts";
import { hkdf } from "./hkdf.ts";
import { random } from "./random.ts";
import { unshared } from "./unshared.ts";

const NONCE = 12;

/**
 * Seals one message under AES-256-GCM with a key derived from `secret` for the purpose `label`:
 * `nonce (12, random) | ciphertext | tag (16)`. At most 2^32 messages under one secret and label.
 */
export async function sealWithSecret(
  secret: Uint8Array,
  label: string,
  aad: Uint8Array,
  plaintext: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await messageKey(secret, label);
  const nonce = random(NONCE);
  const sealed = await crypto.subtle.encrypt(parameters(nonce, aad), key, unshared(plaintext));
  return concat(nonce, new Uint8Array(sealed));
}

/** What sealWithSecret sealed; null: damaged, cut short, or sealed under another secret, label or aad. */
export async function openWithSecret(
  secret: Uint8Array,
  label: string,
  aad: Uint8Array,
  sealed: Uint8Array,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (sealed.length < NONCE) return null;
  const key = await messageKey(secret, label);
  return decrypt(key, unshared(sealed.subarray(0, NONCE)), aad, sealed.subarray(NONCE));
}

async function messageKey(secret: Uint8Array, label: string): Promise<CryptoKey> {
  const bytes = await hkdf(secret, label, 32);
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  bytes.fill(0);
  return key;
}
