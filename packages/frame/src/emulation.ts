import type { Bytes } from "./unit.ts";

/**
 * Emulation prevention (H.264 section 7.4.1, H.265 section 7.4.2): inside a NAL unit two zero bytes are never followed
 * by 0, 1 or 2, so that no start code appears there; a 3 goes before such a byte, and before a 3 that was there.
 */

const PREVENTION = 3;

/**
 * Index of the first byte of at most 3 behind two zero bytes, all three from `from` on; -1: there is none. Looks at
 * about every third byte.
 */
export function findAfterZeros(bytes: Uint8Array, from: number): number {
  let at = from + 2;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte > PREVENTION) at += 3;
    else if (bytes[at - 1] !== 0) at += byte === 0 ? 2 : 3;
    else if (bytes[at - 2] !== 0) at += 1;
    else return at;
  }
  return -1;
}

/** `body` as it may stand behind `clear` in a NAL unit. Itself where nothing needs escaping, which is nearly always. */
export function escaped(clear: Uint8Array, body: Bytes): Bytes {
  let zeros = trailingZeros(clear);
  if (zeros === 0 && findAfterZeros(body, 0) < 0) return body;
  const longer = new Uint8Array(body.length + (body.length >> 1) + 1);
  let length = 0;
  for (const byte of body) {
    if (zeros === 2 && byte <= PREVENTION) {
      longer[length++] = PREVENTION;
      zeros = 0;
    }
    longer[length++] = byte;
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return longer.subarray(0, length);
}

/** What was escaped behind `clear`. Itself where nothing was. */
export function unescaped(clear: Uint8Array, body: Bytes): Bytes {
  let zeros = trailingZeros(clear);
  if (zeros === 0 && findAfterZeros(body, 0) < 0) return body;
  const plain = new Uint8Array(body.length);
  let length = 0;
  for (const byte of body) {
    const prevents = zeros >= 2 && byte === PREVENTION;
    if (!prevents) plain[length++] = byte;
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return plain.subarray(0, length);
}

/** How many zero bytes, 0 to 2, the escaper has seen when it comes behind `clear`. */
function trailingZeros(clear: Uint8Array): number {
  if (clear.at(-1) !== 0) return 0;
  return clear.at(-2) === 0 ? 2 : 1;
}
