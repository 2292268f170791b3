import {
  constants,
  createCipheriv,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from "node:crypto";
import { closeSync, fsyncSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * The fifth paper's cipher, in a process of its own that is started with --openssl-legacy-provider: Blowfish-128 in counter
 * mode over blocks of 4 KiB, the file key wrapped with RSA-2048. Blowfish has blocks of 64 bits, which repeat after some
 * gigabytes, and nothing authenticates. Answers each request with its times.
 */

export interface BlowfishPass {
  readonly directory: string;
  readonly bytes: number;
}

export interface BlowfishPassed {
  readonly writeMs: number;
  readonly readMs: number;
}

const BLOCK = 4096;
const CIPHER_BLOCK = 8;
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const noise = randomBytes(32 * 1024 * 1024);

process.on("message", (pass: BlowfishPass) => process.send?.(run(pass)));

function run({ directory, bytes }: BlowfishPass): BlowfishPassed {
  const path = join(directory, "blowfish");
  const secret = randomBytes(16);
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING };
  const writeMs = timed(() => {
    publicEncrypt({ key: keys.publicKey, ...padding }, secret);
    const file = openSync(path, "w");
    for (let at = 0; at < bytes; at += BLOCK) writeSync(file, crypt(secret, at, plainAt(at, bytes)));
    fsyncSync(file);
    closeSync(file);
  });
  const wrapped = publicEncrypt({ key: keys.publicKey, ...padding }, secret);
  const readMs = timed(() => {
    const own = privateDecrypt({ key: keys.privateKey, ...padding }, wrapped);
    const file = openSync(path, "r");
    const block = Buffer.alloc(BLOCK);
    for (let at = 0; at < bytes; at += BLOCK) {
      const length = readSync(file, block, 0, BLOCK, at);
      const plain = crypt(own, at, block.subarray(0, length));
      if (plain[0] !== noise[at % noise.length]) throw new Error("what was read is not what was written");
    }
    closeSync(file);
  });
  rmSync(path);
  return { writeMs, readMs };
}

function plainAt(at: number, bytes: number): Buffer {
  const from = at % noise.length;
  return noise.subarray(from, from + Math.min(BLOCK, bytes - at));
}

/** OpenSSL has no counter mode of Blowfish: the counters are enciphered, and the bytes combined with them. */
function crypt(key: Buffer, at: number, bytes: Buffer): Buffer {
  const counters = Buffer.alloc(Math.ceil(bytes.length / CIPHER_BLOCK) * CIPHER_BLOCK);
  for (let i = 0; i < counters.length; i += CIPHER_BLOCK) counters.writeBigUInt64BE(BigInt((at + i) / CIPHER_BLOCK), i);
  const stream = createCipheriv("bf-ecb", key, null).setAutoPadding(false).update(counters);
  const result = Buffer.alloc(bytes.length);
  for (let i = 0; i < bytes.length; i++) result[i] = (bytes[i] ?? 0) ^ (stream[i] ?? 0);
  return result;
}

function timed(work: () => void): number {
  const since = performance.now();
  work();
  return performance.now() - since;
}
