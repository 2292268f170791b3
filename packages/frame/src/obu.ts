import { type Bytes, type FrameUnit, type Framing, lastSealed, listed } from "./unit.ts";

/**
 * AV1 (specification section 5.3): a frame is a row of OBUs, `header (1) | extension (0..1) | size (0..8) | payload`.
 * Header and extension stay clear, payloads are sealed. Sizes are no part of the canonical form and the packetizer
 * drops some types (RTP payload format section 5), so these are dropped before.
 */
export const OBUS: Framing = { split, join, splitSealed: split, joinSealed: join, canonical: listed };

const FORBIDDEN = 0x80;
const HAS_EXTENSION = 0x04;
const HAS_SIZE = 0x02;
const TEMPORAL_DELIMITER = 2;
const TILE_LIST = 8;
const PADDING = 15;
const LEB128_LENGTH = 8;
const NOTHING = new Uint8Array();

function split(frame: Bytes): FrameUnit[] | null {
  const units: FrameUnit[] = [];
  let at = 0;
  while (at < frame.length) {
    const header = frame[at] ?? 0;
    const sizeAt = at + ((header & HAS_EXTENSION) === 0 ? 1 : 2);
    const payload = payloadOf(frame, header, sizeAt);
    if (payload === null || (header & FORBIDDEN) !== 0) return null;
    if (!isDropped(header)) units.push({ clear: withSize(frame.subarray(at, sizeAt)), body: payload });
    at = payload.byteOffset - frame.byteOffset + payload.length;
  }
  return units.length === 0 ? null : units;
}

/** Null: its size is no number, or more than there is. */
function payloadOf(frame: Bytes, header: number, sizeAt: number): Bytes | null {
  if ((header & HAS_SIZE) === 0) return sizeAt > frame.length ? null : frame.subarray(sizeAt);
  let size = 0;
  for (let i = 0; i < LEB128_LENGTH; i++) {
    const byte = frame[sizeAt + i];
    if (byte === undefined) return null;
    size += (byte & 0x7f) * 2 ** (7 * i);
    const start = sizeAt + i + 1;
    if (byte < 0x80) return start + size > frame.length ? null : frame.subarray(start, start + size);
  }
  return null;
}

function isDropped(header: number): boolean {
  const type = (header >> 3) & 15;
  return type === TEMPORAL_DELIMITER || type === TILE_LIST || type === PADDING;
}

/** An OBU's header and extension as they are written here. */
function withSize(clear: Bytes): Bytes {
  const header = clear[0] ?? 0;
  if ((header & HAS_SIZE) !== 0) return clear;
  const sized = clear.slice();
  sized[0] = header | HAS_SIZE;
  return sized;
}

function join(units: readonly FrameUnit[], trailer: Uint8Array = NOTHING): Bytes {
  const last = lastSealed(units);
  const sizeOf = ({ body }: FrameUnit, index: number) => (body?.length ?? 0) + (index === last ? trailer.length : 0);
  const lengthOf = (unit: FrameUnit, index: number) => {
    const size = sizeOf(unit, index);
    return unit.clear.length + leb128Length(size) + size;
  };
  const frame = new Uint8Array(units.reduce((length, unit, index) => length + lengthOf(unit, index), 0));
  let at = 0;
  for (const [index, unit] of units.entries()) {
    frame.set(unit.clear, at);
    at = writeLeb128(frame, at + unit.clear.length, sizeOf(unit, index));
    if (unit.body === null) continue;
    frame.set(unit.body, at);
    at += unit.body.length;
  }
  frame.set(trailer, at);
  return frame;
}

function leb128Length(value: number): number {
  let length = 1;
  for (let left = value >>> 7; left > 0; left >>>= 7) length++;
  return length;
}

/** Returns the index behind what it wrote. */
function writeLeb128(bytes: Uint8Array, at: number, value: number): number {
  let left = value;
  let end = at;
  for (; left > 0x7f; left >>>= 7) bytes[end++] = (left & 0x7f) | 0x80;
  bytes[end++] = left;
  return end;
}
