import { concat, fromHex } from "@sealcast/bytes";
import { describe, expect, test } from "vitest";
import sframeText from "../vectors/sframe/test-vectors.json?raw";
import gcmText from "../vectors/wycheproof/aes_gcm_test.json?raw";
import hkdfText from "../vectors/wycheproof/hkdf_sha512_test.json?raw";
import {
  AES_128_GCM_SHA256_128,
  AES_256_GCM_SHA512_128,
  deriveFrameKey,
  type FrameKey,
  hkdf,
  importBaseKey,
  open,
  seal,
} from "./index.ts";

interface SFrameVector {
  cipher_suite: number;
  kid: string;
  ctr: string;
  base_key: string;
  sframe_key: string;
  sframe_salt: string;
  metadata: string;
  nonce: string;
  aad: string;
  pt: string;
  ct: string;
}

interface GcmGroup {
  keySize: number;
  ivSize: number;
  tests: { tcId: number; key: string; iv: string; aad: string; msg: string; ct: string; tag: string; result: string }[];
}

interface HkdfGroup {
  tests: { tcId: number; ikm: string; salt: string; info: string; size: number; okm: string; result: string }[];
}

function hex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = fromHex(text);
  if (bytes === null) throw new Error(`vector holds ${text}, which is not hex`);
  return bytes;
}

function gcmKey(key: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** RFC 9605's own vectors. Its 64-bit numbers are read as text, since JSON.parse would round them. */
function sframeVectors(): void {
  const quoted = sframeText.replace(/"(kid|ctr)": *(\d+)/g, '"$1": "$2"');
  const { sframe } = JSON.parse(quoted) as { sframe: SFrameVector[] };

  for (const suite of [AES_128_GCM_SHA256_128, AES_256_GCM_SHA512_128]) {
    const vectors = sframe.filter((vector) => vector.cipher_suite === suite.id);

    describe(`RFC 9605 suite ${suite.id}`, () => {
      test("has its vector", () => expect(vectors).toHaveLength(1));

      test.each(vectors)("KID $kid, counter $ctr", async (vector) => {
        const counter = BigInt(vector.ctr);
        const aad = hex(vector.aad);
        const plaintext = hex(vector.pt);
        const headerLength = aad.length - hex(vector.metadata).length;
        const sealed = hex(vector.ct).subarray(headerLength);
        expect(hex(vector.ct).subarray(0, headerLength)).toEqual(aad.subarray(0, headerLength));

        const derived = await deriveFrameKey(suite, await importBaseKey(hex(vector.base_key)), BigInt(vector.kid));
        expect(derived.salt).toEqual(hex(vector.sframe_salt));
        expect(derived.key.algorithm).toMatchObject({ length: hex(vector.sframe_key).length * 8 });
        expect(new Uint8Array(await seal(derived, counter, aad, plaintext))).toEqual(sealed);
        expect(await open(derived, counter, aad, sealed)).toEqual(plaintext);

        // The vector's key and nonce, used without any of our code, open the same bytes: ours are the same.
        const gcm = { name: "AES-GCM", iv: hex(vector.nonce), additionalData: aad };
        const opened = await crypto.subtle.decrypt(gcm, await gcmKey(hex(vector.sframe_key)), sealed);
        expect(new Uint8Array(opened)).toEqual(plaintext);
      });
    });
  }
}

/** Wycheproof AES-GCM. With counter 0 a frame's nonce is its salt, so the salt stands in for the vector's IV. */
function gcmVectors(): void {
  const { testGroups } = JSON.parse(gcmText) as { testGroups: GcmGroup[] };
  const groups = testGroups.filter(({ keySize, ivSize }) => ivSize === 96 && (keySize === 128 || keySize === 256));

  test("Wycheproof AES-GCM", async () => {
    const seen = { valid: 0, invalid: 0 };
    for (const vector of groups.flatMap((group) => group.tests)) {
      const frameKey: FrameKey = { key: await gcmKey(hex(vector.key)), salt: hex(vector.iv) };
      const sealed = concat(hex(vector.ct), hex(vector.tag));
      const opened = await open(frameKey, 0n, hex(vector.aad), sealed);
      const name = `test ${vector.tcId}`;
      if (vector.result === "valid") {
        seen.valid++;
        expect(opened, name).toEqual(hex(vector.msg));
        const again = await seal(frameKey, 0n, hex(vector.aad), hex(vector.msg));
        expect(new Uint8Array(again), name).toEqual(sealed);
      } else {
        seen.invalid++;
        expect(opened, name).toBeNull();
      }
    }
    expect(seen).toEqual({ valid: 79, invalid: 54 });
  });
}

/** Wycheproof HKDF-SHA-512, where info is empty: ours is text, which the other vectors' random bytes are not. */
function hkdfVectors(): void {
  const { testGroups } = JSON.parse(hkdfText) as { testGroups: HkdfGroup[] };
  const vectors = testGroups.flatMap((group) => group.tests).filter(({ info }) => info === "");

  test("Wycheproof HKDF-SHA-512", async () => {
    expect(vectors).toHaveLength(30);
    for (const { tcId, ikm, salt, size, okm, result } of vectors) {
      const derived = hkdf(hex(ikm), "", size, hex(salt));
      if (result === "valid") expect(await derived, `test ${tcId}`).toEqual(hex(okm));
      else await expect(derived, `test ${tcId}`).rejects.toThrow();
    }
  });
}

export function vectorCases(): void {
  sframeVectors();
  gcmVectors();
  hkdfVectors();
}
