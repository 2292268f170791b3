import { highWord, lowWord } from "@sealcast/bytes";

/**
 * SFrame header (RFC 9605 section 4.3): `config (1) | KID (0..8) | counter (0..8)`. The config byte holds four bits
 * for each number: below 8 the number itself, else 8 + (its length in bytes - 1).
 */

const LONG = 8;

/** 1 to 17 bytes. RangeError for a number that exceeds 64 bits. */
export function encodeHeader(kid: bigint, counter: bigint | number): Uint8Array<ArrayBuffer> {
  return withCounter(headerStart(kid), counter);
}

/** What all headers of one KID begin with, for withCounter. */
export function headerStart(kid: bigint): Uint8Array<ArrayBuffer> {
  const length = lengthOf(kid);
  const start = new Uint8Array(1 + length);
  start[0] = nibble(kid, length) << 4;
  write(start, 1, length, kid);
  return start;
}

/** The header of one frame. */
export function withCounter(start: Uint8Array, counter: bigint | number): Uint8Array<ArrayBuffer> {
  const length = lengthOf(counter);
  const header = new Uint8Array(start.length + length);
  header.set(start);
  header[0] = (header[0] ?? 0) | nibble(counter, length);
  write(header, start.length, length, counter);
  return header;
}

/** Null unless `header` is exactly one header as encodeHeader writes it: integers that are not minimal are refused. */
export function parseHeader(header: Uint8Array): { kid: bigint; counter: bigint } | null {
  const config = header[0];
  if (config === undefined) return null;
  const counterStart = 1 + bytesAfter(config >>> 4);
  const end = counterStart + bytesAfter(config & 15);
  if (header.length !== end) return null;
  const kid = read(header, 1, counterStart, config >>> 4);
  const counter = read(header, counterStart, end, config & 15);
  return kid === null || counter === null ? null : { kid, counter };
}

/** How many bytes a number takes after the config byte. */
function lengthOf(value: bigint | number): number {
  const high = highWord(value);
  if (high > 0) return 8 - (Math.clz32(high) >>> 3);
  return value < LONG ? 0 : 4 - (Math.clz32(Number(value)) >>> 3);
}

function bytesAfter(nibble: number): number {
  return nibble < LONG ? 0 : nibble - LONG + 1;
}

function nibble(value: bigint | number, length: number): number {
  return length === 0 ? Number(value) : LONG + length - 1;
}

function write(header: Uint8Array, start: number, length: number, value: bigint | number): void {
  let low = lowWord(value);
  for (let i = length - 1; i >= 0; i--) {
    if (length - 1 - i === 4) low = highWord(value);
    header[start + i] = low;
    low >>>= 8;
  }
}

function read(header: Uint8Array, start: number, end: number, nibble: number): bigint | null {
  if (start === end) return BigInt(nibble);
  let high = 0;
  let low = 0;
  for (let at = start; at < end; at++) {
    high = ((high << 8) | (low >>> 24)) >>> 0;
    low = ((low << 8) | (header[at] ?? 0)) >>> 0;
  }
  const value = high === 0 ? BigInt(low) : (BigInt(high) << 32n) | BigInt(low);
  return lengthOf(value) === end - start ? value : null;
}
