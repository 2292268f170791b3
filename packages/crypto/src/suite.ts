/** An SFrame cipher suite with AES-GCM and a 16-byte tag (RFC 9605 section 4.5). */
export interface Suite {
  readonly id: number;
  readonly hash: "SHA-256" | "SHA-512";
  readonly keyBits: 128 | 256;
}

/** What frames are sealed with. */
export const AES_256_GCM_SHA512_128: Suite = { id: 0x0005, hash: "SHA-512", keyBits: 256 };
/** For comparison in the lab only. */
export const AES_128_GCM_SHA256_128: Suite = { id: 0x0004, hash: "SHA-256", keyBits: 128 };
