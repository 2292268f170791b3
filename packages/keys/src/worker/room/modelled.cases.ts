import { hash } from "node:crypto";
import { concat, equal, toBase64url } from "@sealcast/bytes";
import type { CiphersuiteImpl } from "ts-mls";
import { SUITE_NAME } from "../mls/suite.ts";

/**
 * Stand-ins for all cryptography that a member uses, for simulations and nothing else: they hide nothing, and who knows a
 * public key can sign. Hashes in place of everything make a schedule many times as fast, and random bytes from a seed make
 * it the same each time. What does not fit (another key, another text, a changed byte) fails as in the real suite.
 */

/** What stands for a CryptoKey: its bytes, as importKey took them. */
interface ModelledKey {
  readonly bytes: Uint8Array;
  readonly extractable: false;
}

const TAG = 16;
/** One for all: to trace where each comes from takes longer than to find that something does not open. */
const DOES_NOT_OPEN = new DOMException("modelled", "OperationError");
const NO_BYTES = new Uint8Array();

/** A multiplication and a rotation of one of the four words of a hash. */
function stir(word: number, value: number, factor: number): number {
  const mixed = Math.imul(word ^ value, factor);
  return (mixed << 15) | (mixed >>> 17);
}

/** What a hash is of, as words: filled again for each. */
let words = new Int32Array(1 << 12);

function fillWords(label: string, parts: readonly Uint8Array[]): number {
  const most = parts.reduce((sum, part) => sum + 4 + part.length / 4, label.length);
  if (words.length < most) words = new Int32Array(2 * Math.ceil(most));
  let count = 0;
  for (let i = 0; i < label.length; i += 1) words[count++] = label.charCodeAt(i);
  for (const part of parts) {
    words[count++] = part.length;
    const whole = part.length & ~3;
    for (let i = 0; i < whole; i += 4)
      words[count++] = part[i]! | (part[i + 1]! << 8) | (part[i + 2]! << 16) | (part[i + 3]! << 24);
    for (let i = whole; i < part.length; i += 1) words[count++] = part[i]!;
  }
  return count;
}

/**
 * `length` bytes that differ wherever the label or the parts do: four words of 32 bits, each stirred with all that goes in and
 * with one another. A fraction of the time of SHA-512, and no resistance to a search for collisions.
 */
function stretch(length: number, label: string, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const count = fillWords(label, parts);
  const stretched = new Uint8Array(length);
  let [a, b, c, d] = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
  // All words go in first, and then the place of each that comes out.
  for (let i = -count; i < length; i += i < 0 ? 1 : 4) {
    const value = i < 0 ? words[count + i]! : i;
    a = stir(a ^ d, value, 0x9e3779b1);
    b = stir(b ^ a, value, 0x85ebca77);
    c = stir(c ^ b, value, 0xc2b2ae3d);
    d = stir(d ^ c, value, 0x27d4eb2f);
    for (let at = Math.max(i, 0), rest = d; i >= 0 && at < i + 4; at += 1, rest >>>= 8) stretched[at] = rest;
  }
  return stretched;
}

function labelled(label: string, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return stretch(64, label, ...parts);
}

const publicOf = (secret: Uint8Array): Uint8Array<ArrayBuffer> => labelled("public", secret).slice(0, 32);
const signatureOf = (key: Uint8Array, message: Uint8Array) => labelled("signature", key, message);

function seal(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Uint8Array<ArrayBuffer> {
  return concat(plaintext, labelled("tag", key, nonce, aad, plaintext).subarray(0, TAG));
}

function open(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array<ArrayBuffer> {
  const plaintext = sealed.slice(0, Math.max(0, sealed.length - TAG));
  const tag = labelled("tag", key, nonce, aad, plaintext).subarray(0, TAG);
  if (!equal(tag, sealed.subarray(plaintext.length))) throw DOES_NOT_OPEN;
  return plaintext;
}

const keyOf = (bytes: Uint8Array): CryptoKey => ({ bytes, extractable: false }) as ModelledKey as unknown as CryptoKey;
const bytesOf = (key: CryptoKey): Uint8Array<ArrayBuffer> => (key as unknown as ModelledKey).bytes.slice();

/** As much of Web Crypto as members use; its random bytes follow from `seed`. */
export function modelledCrypto(seed: number): Crypto {
  return {
    getRandomValues: randomFrom(seed),
    subtle: {
      // The server's room in memory takes the same one.
      digest: async (_: string, data: Uint8Array) => new Uint8Array(hash("sha256", data, "buffer")).buffer,
      importKey: async (format: string, bytes: Uint8Array) =>
        keyOf(format === "pkcs8" ? bytes.slice(-32) : bytes.slice()),
      exportKey: async (format: string, key: CryptoKey) =>
        format === "jwk" ? { x: toBase64url(publicOf(bytesOf(key))) } : bytesOf(key).buffer,
      generateKey: async () => {
        const secret = crypto.getRandomValues(new Uint8Array(32));
        return { privateKey: keyOf(secret), publicKey: keyOf(publicOf(secret)) };
      },
      sign: async (_: string, key: CryptoKey, message: Uint8Array) =>
        signatureOf(publicOf(bytesOf(key)), message).buffer,
      verify: async (_: string, key: CryptoKey, signature: Uint8Array, message: Uint8Array) =>
        equal(signatureOf(bytesOf(key), message), signature),
      deriveBits: async ({ salt, info }: HkdfParams, key: CryptoKey, bits: number) =>
        stretch(bits / 8, "derive", bytesOf(key), salt as Uint8Array, info as Uint8Array).buffer,
      encrypt: async ({ iv, additionalData }: AesGcmParams, key: CryptoKey, plaintext: Uint8Array) =>
        seal(bytesOf(key), iv as Uint8Array, additionalData as Uint8Array, plaintext).buffer,
      decrypt: async ({ iv, additionalData }: AesGcmParams, key: CryptoKey, sealed: Uint8Array) =>
        open(bytesOf(key), iv as Uint8Array, additionalData as Uint8Array, sealed).buffer,
    },
  } as unknown as Crypto;
}

/** Marsaglia's xorshift. */
export function dice(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

function randomFrom(seed: number): <T>(into: T) => T {
  const next = dice(seed);
  return <T>(into: T) => {
    if (into instanceof Uint8Array) for (let i = 0; i < into.length; i += 1) into[i] = next() * 256;
    return into;
  };
}

const pairOf = (secret: Uint8Array) => ({
  privateKey: keyOf(secret) as CryptoKey & { type: "private" },
  publicKey: keyOf(publicOf(secret)) as CryptoKey & { type: "public" },
});

const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** The suite of the product in names and sizes of secrets, over the same stand-ins. */
export const modelledSuite: CiphersuiteImpl = {
  name: SUITE_NAME,
  hash: {
    digest: async (data) => labelled("hash", data),
    mac: async (key, data) => labelled("mac", key, data),
    verifyMac: async (key, mac, data) => equal(labelled("mac", key, data), mac),
  },
  kdf: {
    extract: async (salt, ikm) => labelled("extract", salt, ikm),
    expand: async (prk, info, length) => stretch(length, "expand", prk, info),
    size: 64,
  },
  hpke: {
    async seal(publicKey, plaintext, info, aad = NO_BYTES) {
      const enc = random(32);
      return { enc, ct: seal(labelled("kem", bytesOf(publicKey), enc, info), NO_BYTES, aad, plaintext) };
    },
    open: async (privateKey, enc, sealed, info, aad = NO_BYTES) =>
      open(labelled("kem", publicOf(bytesOf(privateKey)), enc, info), NO_BYTES, aad, sealed),
    importPrivateKey: async (bytes) => keyOf(bytes.slice()) as CryptoKey & { type: "private" },
    importPublicKey: async (bytes) => keyOf(bytes.slice()) as CryptoKey & { type: "public" },
    exportPublicKey: async (key) => bytesOf(key),
    exportPrivateKey: async (key) => bytesOf(key),
    encryptAead: async (key, nonce, aad = NO_BYTES, plaintext) => seal(key, nonce, aad, plaintext),
    decryptAead: async (key, nonce, aad = NO_BYTES, sealed) => open(key, nonce, aad, sealed),
    exportSecret: () => Promise.reject(new Error("not modelled")),
    importSecret: () => Promise.reject(new Error("not modelled")),
    deriveKeyPair: async (ikm) => pairOf(labelled("pair", ikm).slice(0, 32)),
    generateKeyPair: async () => pairOf(random(32)),
    keyLength: 32,
    nonceLength: 12,
  },
  signature: {
    sign: async (secret, message) => signatureOf(publicOf(secret), message),
    verify: async (key, message, signature) => equal(signatureOf(key, message), signature),
    async keygen() {
      const signKey = random(32);
      return { signKey, publicKey: publicOf(signKey) };
    },
  },
  rng: { randomBytes: random },
};
