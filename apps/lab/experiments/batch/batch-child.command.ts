import { type Cipher, createCipheriv, randomBytes } from "node:crypto";
import { IMAGE_BYTES } from "./batch.ts";

/**
 * The fourth paper's ciphers, in a process of its own that is started with --openssl-legacy-provider: blocks each by themselves
 * (ECB), which shows which of them are equal, and nothing that authenticates. Answers each request with its time.
 */

export const BROKEN = ["DES-ECB", "AES-128-ECB", "AES-256-ECB", "AES-256-ECB over DES-ECB"] as const;

export interface BrokenPass {
  readonly scheme: (typeof BROKEN)[number];
  readonly images: number;
}

export interface BrokenPassed {
  readonly ms: number;
  readonly memoryBytes: number;
}

const key = randomBytes(32);
const layers: Record<BrokenPass["scheme"], () => Cipher[]> = {
  "DES-ECB": () => [des()],
  "AES-128-ECB": () => [createCipheriv("aes-128-ecb", key.subarray(16), null)],
  "AES-256-ECB": () => [aes256()],
  "AES-256-ECB over DES-ECB": () => [des(), aes256()],
};

process.on("message", (pass: BrokenPass) => process.send?.(run(pass)));

function run({ scheme, images }: BrokenPass): BrokenPassed {
  const plain = randomBytes(images * IMAGE_BYTES);
  const sealed = Buffer.alloc(plain.length);
  const since = performance.now();
  for (let at = 0; at < plain.length; at += IMAGE_BYTES) {
    let image = plain.subarray(at, at + IMAGE_BYTES);
    for (const layer of layers[scheme]()) image = layer.setAutoPadding(false).update(image);
    sealed.set(image, at);
  }
  return { ms: performance.now() - since, memoryBytes: process.memoryUsage().rss };
}

/** 56 bits of key. */
function des(): Cipher {
  return createCipheriv("des-ecb", key.subarray(0, 8), null);
}

function aes256(): Cipher {
  return createCipheriv("aes-256-ecb", key, null);
}
