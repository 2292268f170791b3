import { createDecipheriv, createHash, KeyObject, verify, webcrypto } from "node:crypto";

const TAG = 16;

/**
 * Has Web Crypto open, digest and verify where it is called. Node hands each such work, of microseconds for a frame, to
 * another thread, which a busy computer takes a hundred times as long for: a process that is many viewers would measure that.
 */
export function makeCryptoSynchronous(): void {
  const { subtle } = webcrypto;
  const original = subtle.decrypt.bind(subtle);
  const synchronous: Pick<webcrypto.SubtleCrypto, "decrypt" | "digest" | "verify"> = {
    decrypt: async (algorithm, key, data) =>
      isGcm(algorithm) ? openGcm(algorithm, key, bytesOf(data)) : original(algorithm, key, data),
    digest: async (algorithm, data) => {
      const name = typeof algorithm === "string" ? algorithm : algorithm.name;
      return unpooled(createHash(name.replace("-", "").toLowerCase()).update(bytesOf(data)).digest());
    },
    verify: async (_, key, signature, data) => verify(null, bytesOf(data), keyOf(key), bytesOf(signature)),
  };
  Object.assign(subtle, synchronous);
}

function isGcm(algorithm: Parameters<webcrypto.SubtleCrypto["decrypt"]>[0]): algorithm is webcrypto.AesGcmParams {
  return typeof algorithm === "object" && algorithm.name === "AES-GCM";
}

function openGcm(
  { iv, additionalData }: webcrypto.AesGcmParams,
  key: webcrypto.CryptoKey,
  sealed: Uint8Array,
): ArrayBuffer {
  const secret = keyOf(key);
  const decipher = createDecipheriv(
    `aes-${8 * (secret.symmetricKeySize ?? 0)}-gcm` as "aes-256-gcm",
    secret,
    bytesOf(iv),
  );
  if (additionalData !== undefined) decipher.setAAD(bytesOf(additionalData));
  try {
    decipher.setAuthTag(sealed.subarray(-TAG));
    return unpooled(Buffer.concat([decipher.update(sealed.subarray(0, -TAG)), decipher.final()]));
  } catch {
    throw new DOMException("the tag is wrong", "OperationError");
  }
}

const keys = new WeakMap<webcrypto.CryptoKey, KeyObject>();

function keyOf(key: webcrypto.CryptoKey): KeyObject {
  const known = keys.get(key) ?? KeyObject.from(key);
  keys.set(key, known);
  return known;
}

function bytesOf(data: webcrypto.BufferSource): Uint8Array {
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** Small ones of Node's lie in a buffer that they share. */
function unpooled(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
