/** scrypt for codes that people compare: 64 MiB and a good part of a second, for an attacker with every key that is tried. */
export const COST = { N: 2 ** 16, r: 8, p: 1 };
const GROUPS = 6;
const GROUP_BYTES = 5;
export const DIGITS_BYTES = GROUPS * GROUP_BYTES;

/** 30 digits of 30 bytes: of each 5 bytes, as a number, the last five decimal digits. */
export function digitsOf(bytes: Uint8Array): string {
  return Array.from({ length: GROUPS }, (_, group) => {
    const start = group * GROUP_BYTES;
    const number = bytes.subarray(start, start + GROUP_BYTES).reduce((sum, byte) => sum * 256 + byte, 0);
    return String(number % 100_000).padStart(5, "0");
  }).join("");
}
