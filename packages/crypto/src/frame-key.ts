import { concat, u16, u64, utf8 } from "@sealcast/bytes";
import type { Suite } from "./suite.ts";
import { unshared } from "./unshared.ts";

/** What the frames of one KID are sealed and opened under. */
export interface FrameKey {
  /** AES-GCM, not extractable. */
  readonly key: CryptoKey;
  /** 12 bytes; the nonce of a frame is this XOR its counter. */
  readonly salt: Uint8Array<ArrayBuffer>;
}

/** Imports an SFrame base key for deriveFrameKey. Not extractable; the caller erases its own copy of `bytes`. */
export function importBaseKey(bytes: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", unshared(bytes), "HKDF", false, ["deriveBits", "deriveKey"]);
}

/** The key and salt of one KID (RFC 9605 section 4.4.2). `baseKey` comes from importBaseKey. */
export async function deriveFrameKey(suite: Suite, baseKey: CryptoKey, kid: bigint): Promise<FrameKey> {
  const scope = concat(u64(kid), u16(suite.id));
  const under = (label: string) => ({
    name: "HKDF",
    hash: suite.hash,
    salt: new Uint8Array(),
    info: concat(utf8(label), scope),
  });
  const aes = { name: "AES-GCM", length: suite.keyBits };
  const [key, salt] = await Promise.all([
    crypto.subtle.deriveKey(under("SFrame 1.0 Secret key "), baseKey, aes, false, ["encrypt", "decrypt"]),
    crypto.subtle.deriveBits(under("SFrame 1.0 Secret salt "), baseKey, 96),
  ]);
  return { key, salt: new Uint8Array(salt) };
}
