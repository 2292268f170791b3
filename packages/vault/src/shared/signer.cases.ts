import type { MetaSigner } from "./signed-meta.ts";

export async function newSigner(): Promise<MetaSigner> {
  const keys = (await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"])) as CryptoKeyPair;
  const publicKey = new Uint8Array(await crypto.subtle.exportKey("raw", keys.publicKey));
  const sign = async (message: Uint8Array) =>
    new Uint8Array(await crypto.subtle.sign("Ed25519", keys.privateKey, new Uint8Array(message)));
  return { publicKey, sign };
}
