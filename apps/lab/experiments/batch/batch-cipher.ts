import {
  AES_128_GCM_SHA256_128,
  AES_256_GCM_SHA512_128,
  type FrameCipher,
  frameCipher,
  importBaseKey,
} from "@sealcast/crypto";
import { secondLayer } from "@sealcast/crypto/second-layer";
import type { BatchScheme } from "./batch.ts";

/** The product's ciphers for frames; a record's number is its counter. */
export async function batchCipher(scheme: BatchScheme, key: Uint8Array): Promise<FrameCipher> {
  const suite = scheme === "AES-128-GCM" ? AES_128_GCM_SHA256_128 : AES_256_GCM_SHA512_128;
  const inner = await frameCipher(suite, await importBaseKey(key), 0n);
  return scheme.includes("then") ? secondLayer(inner, key, 0n) : inner;
}
