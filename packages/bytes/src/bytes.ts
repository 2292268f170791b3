const WORD = 2 ** 32;
const ENCODER = new TextEncoder();

/** A new array with the bytes of `parts`, one after the other. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Whether two arrays hold the same bytes, in a time that depends on their lengths only. */
export function equal(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i += 1) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(text);
}

/** `value` as 2 bytes, big-endian. RangeError when it does not fit. */
export function u16(value: number): Uint8Array<ArrayBuffer> {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff)
    throw new RangeError(`${value} is not an unsigned 16-bit integer`);
  return Uint8Array.of(value >>> 8, value);
}

/** `value` as 4 bytes, big-endian. RangeError when it does not fit. */
export function u32(value: number): Uint8Array<ArrayBuffer> {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff)
    throw new RangeError(`${value} is not an unsigned 32-bit integer`);
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

/** `value` as 8 bytes, big-endian. RangeError when it does not fit. */
export function u64(value: bigint): Uint8Array<ArrayBuffer> {
  if (BigInt.asUintN(64, value) !== value) throw new RangeError(`${value} is not an unsigned 64-bit integer`);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, value);
  return new Uint8Array(view.buffer);
}

/** The upper 32 of a number's 64 bits. RangeError when it does not fit, or is a number that may not be exact. */
export function highWord(value: bigint | number): number {
  const high = typeof value === "bigint" ? Number(value >> 32n) : Math.floor(value / WORD);
  if (high < 0 || high >= WORD || (typeof value === "number" && !Number.isSafeInteger(value)))
    throw new RangeError(`${value} is not an unsigned 64-bit integer`);
  return high;
}

/** The lower 32 of a number's 64 bits, where highWord takes it. */
export function lowWord(value: bigint | number): number {
  return typeof value === "bigint" ? Number(BigInt.asUintN(32, value)) : value % WORD;
}
