import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(4_096);
let used = pool.length;

/** This many random bytes in base64url, each given once: from a pool, since to ask for 16 costs as much as for hundreds. */
export function randomText(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const taken = pool.subarray(used, used + bytes);
  used += bytes;
  const text = taken.toString("base64url");
  taken.fill(0);
  return text;
}

/** 128 bits. */
export const randomId = (): string => randomText(16);
