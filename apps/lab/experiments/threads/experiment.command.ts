import { createCipheriv, randomBytes } from "node:crypto";
import type { Experiment } from "../../command/experiment.ts";
import { median } from "../../src/shared/statistics.ts";
import { threads as inPage, KIB, ROUNDS } from "./experiment.ts";

const BYTES = 54e6;

export const threads: Experiment = {
  async run(bench) {
    const { summary, ...results } = await inPage(bench);
    return { ...results, summary: { ...summary, opensslMbPerS: Math.round(openssl() / 1e6) } };
  },
};

/** Bytes a second of AES-256-GCM on one core, outside the browser, at the size that suits it best. */
function openssl(): number {
  const key = randomBytes(32);
  const sizes = [64, 128, 256, 512].map((size) => size * KIB);
  const rates = sizes.map((size) => median(Array.from({ length: ROUNDS }, () => opensslRate(key, randomBytes(size)))));
  return Math.max(...rates);
}

function opensslRate(key: Buffer, piece: Buffer): number {
  const pieces = Math.ceil(BYTES / piece.length);
  const since = performance.now();
  for (let number = 0; number < pieces; number++) {
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32BE(number, 8);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    cipher.update(piece);
    cipher.final();
    cipher.getAuthTag();
  }
  return (1000 * pieces * piece.length) / (performance.now() - since);
}
