/** Tables and key schedule of AES (FIPS 197) for a shader; a word is four bytes, the first the highest. */

const BYTES = 256;
const SBOX = sbox();

/** For each byte what SubBytes and MixColumns make of it in the first row: (2s, s, s, 3s). The other rows' are rotations. */
export const ROUND_TABLE: Uint32Array<ArrayBuffer> = Uint32Array.from(SBOX, (s) => {
  const twice = double(s);
  return ((twice << 24) | (s << 16) | (s << 8) | (twice ^ s)) >>> 0;
});

/** `key` is 16 or 32 bytes; four words for each round and for the beginning. */
export function expandKey(key: Uint8Array): Uint32Array<ArrayBuffer> {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const own = key.length / 4;
  const words = new Uint32Array(4 * (own + 7));
  let constant = 1;
  for (let i = 0; i < words.length; i++) {
    if (i < own) {
      words[i] = view.getUint32(4 * i);
      continue;
    }
    let word = words[i - 1] ?? 0;
    if (i % own === 0) {
      word = substitute((word << 8) | (word >>> 24)) ^ (constant << 24);
      constant = double(constant);
    } else if (own > 6 && i % own === 4) word = substitute(word);
    words[i] = (words[i - own] ?? 0) ^ word;
  }
  return words;
}

function substitute(word: number): number {
  const byte = (at: number) => (SBOX[(word >>> at) & 0xff] ?? 0) << at;
  return byte(24) | byte(16) | byte(8) | byte(0);
}

/** The inverse of each byte in GF(2^8), and an affine map of it. */
function sbox(): Uint8Array {
  const box = new Uint8Array(BYTES);
  let [p, q] = [1, 1];
  do {
    p = p ^ double(p);
    q ^= q << 1;
    q ^= q << 2;
    q ^= q << 4;
    q &= 0xff;
    if (q & 0x80) q ^= 0x09;
    const rotated = (by: number) => ((q << by) | (q >>> (8 - by))) & 0xff;
    box[p] = q ^ rotated(1) ^ rotated(2) ^ rotated(3) ^ rotated(4) ^ 0x63;
  } while (p !== 1);
  box[0] = 0x63;
  return box;
}

function double(byte: number): number {
  return ((byte << 1) ^ (byte & 0x80 ? 0x11b : 0)) & 0xff;
}
