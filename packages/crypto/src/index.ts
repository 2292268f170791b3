export { open, seal } from "./aead.ts";
export { type FrameCipher, frameCipher } from "./frame-cipher.ts";
export { deriveFrameKey, type FrameKey, importBaseKey } from "./frame-key.ts";
export { hkdf } from "./hkdf.ts";
export { openWithSecret, sealWithSecret } from "./message.ts";
export { random } from "./random.ts";
export { Secret } from "./secret.ts";
export { frameDigest, newSigningKeys, sign, verify } from "./signature.ts";
export { AES_128_GCM_SHA256_128, AES_256_GCM_SHA512_128 } from "./suite.ts";
