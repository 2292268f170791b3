/** x^16 + x^13 + x^12 + x^11 + x^10 + x^8 + x^6 + x^5 + x^2 + 1, the highest power on the right. */
const POLYNOMIAL = 0xa6bc;

/**
 * CRC-16/DNP (IEEE 1815). Of all of 16 bits it is among those that tell most of short messages: in 32 bits of message and
 * 16 of checksum any five wrong bits show (P. Koopman and T. Chakravarty, "Cyclic Redundancy Code (CRC) Polynomial
 * Selection For Embedded Networks", DSN 2004).
 */
export function crc16(bytes: Uint8Array): number {
  let register = 0;
  for (const byte of bytes) {
    register ^= byte;
    for (let bit = 0; bit < 8; bit++) register = (register >>> 1) ^ (register & 1 ? POLYNOMIAL : 0);
  }
  return register ^ 0xffff;
}
