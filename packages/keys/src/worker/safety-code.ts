import { scrypt } from "@noble/hashes/scrypt.js";
import { concat, utf8 } from "@sealcast/bytes";
import type { SafetyCode } from "../shared/messages.ts";
import { SAFETY_CODE_VERSION, safetyCodeQr } from "../shared/safety-code-qr.ts";

/** 64 MiB and a good part of a second, for us once a person, for an attacker with every key that is tried. */
const COST = { N: 2 ** 16, r: 8, p: 1 };
const SALT = utf8("Sealcast safety code");
const GROUPS = 6;
const GROUP_BYTES = 5;
const SYMBOLS = 12;
const SYMBOL_BITS = 6;

/** The code of two identity keys (32 bytes each), whichever way round. Takes about half a second. */
export function safetyCode(one: Uint8Array, other: Uint8Array): SafetyCode {
  const [low, high] = isBefore(one, other) ? [one, other] : [other, one];
  const password = concat(Uint8Array.of(SAFETY_CODE_VERSION), low, high);
  const dkLen = GROUPS * GROUP_BYTES + (SYMBOLS * SYMBOL_BITS) / 8;
  const bytes = scrypt(password, SALT, { ...COST, dkLen });
  const all = digits(bytes.subarray(0, GROUPS * GROUP_BYTES));
  return { digits: all, qr: safetyCodeQr(all), symbols: symbols(bytes.subarray(-9)) };
}

function digits(bytes: Uint8Array): string {
  return Array.from({ length: GROUPS }, (_, group) => {
    const start = group * GROUP_BYTES;
    const number = bytes.subarray(start, start + GROUP_BYTES).reduce((sum, byte) => sum * 256 + byte, 0);
    return String(number % 100_000).padStart(5, "0");
  }).join("");
}

function symbols(bytes: Uint8Array): number[] {
  const bits = bytes.reduce((all, byte) => (all << 8n) | BigInt(byte), 0n);
  return Array.from({ length: SYMBOLS }, (_, i) => Number((bits >> BigInt(SYMBOL_BITS * (SYMBOLS - 1 - i))) & 63n));
}

function isBefore(one: Uint8Array, other: Uint8Array): boolean {
  const at = one.findIndex((byte, i) => byte !== other[i]);
  return (one[at] ?? 0) < (other[at] ?? 0);
}
