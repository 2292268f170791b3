import { unshared } from "./unshared.ts";

const DIGEST = 16;
const SIGNATURE = 64;

/** A fresh Ed25519 pair whose private half no script can read. */
export function newSigningKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
}

/** 64 bytes. `key` is an Ed25519 private key. */
export async function sign(key: CryptoKey, message: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign("Ed25519", key, unshared(message)));
}

/** `key` is an Ed25519 public key. */
export async function verify(key: CryptoKey, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  // Not every browser refuses a signature of the wrong length.
  if (signature.length !== SIGNATURE) return false;
  return crypto.subtle.verify("Ed25519", key, unshared(signature), unshared(message));
}

/** What stands for a frame in its sender's signature: the first 16 bytes of SHA-256. `frame` is read before this returns. */
export async function frameDigest(frame: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", unshared(frame)), 0, DIGEST);
}
