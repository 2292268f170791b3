import { scrypt } from "@noble/hashes/scrypt.js";
import { concat, utf8 } from "@sealcast/bytes";
import type { SafetyCode } from "../../shared/messages.ts";
import { SAFETY_CODE_VERSION, safetyCodeQr } from "../../shared/safety-code-qr.ts";
import { COST, DIGITS_BYTES, digitsOf } from "./code-digits.ts";

const SALT = utf8("Sealcast safety code");
const SYMBOLS = 12;
const SYMBOL_BITS = 6;

/** The code of two identity keys (32 bytes each), whichever way round. Takes about half a second. */
export function safetyCode(one: Uint8Array, other: Uint8Array): SafetyCode {
  const [low, high] = isBefore(one, other) ? [one, other] : [other, one];
  const password = concat(Uint8Array.of(SAFETY_CODE_VERSION), low, high);
  const dkLen = DIGITS_BYTES + (SYMBOLS * SYMBOL_BITS) / 8;
  const bytes = scrypt(password, SALT, { ...COST, dkLen });
  const digits = digitsOf(bytes.subarray(0, DIGITS_BYTES));
  return { digits, qr: safetyCodeQr(digits), symbols: symbols(bytes.subarray(-9)) };
}

function symbols(bytes: Uint8Array): number[] {
  const bits = bytes.reduce((all, byte) => (all << 8n) | BigInt(byte), 0n);
  return Array.from({ length: SYMBOLS }, (_, i) => Number((bits >> BigInt(SYMBOL_BITS * (SYMBOLS - 1 - i))) & 63n));
}

function isBefore(one: Uint8Array, other: Uint8Array): boolean {
  const at = one.findIndex((byte, i) => byte !== other[i]);
  return (one[at] ?? 0) < (other[at] ?? 0);
}
