import { concat } from "@sealcast/bytes";

export type Bytes = Uint8Array<ArrayBuffer>;

/** A piece of a frame: a NAL unit in H.264 and H.265, an OBU in AV1, in other codecs the whole frame. */
export interface FrameUnit {
  /** Stays readable and is authenticated. */
  readonly clear: Bytes;
  /** Is sealed. Null where nothing of the unit is. */
  readonly body: Bytes | null;
}

/**
 * How the units of one codec lie in a frame. Splitting leaves out what packetizers between sender and receiver may rewrite, and joining
 * writes it again, so that nothing reaches a decoder that was not authenticated. Units are views onto the frame.
 */
export interface Framing {
  /** The units of a frame that an encoder made, at least one of them with a body; null: the frame is malformed. */
  split(frame: Bytes): FrameUnit[] | null;
  /** A frame for a decoder. Takes ownership of the bodies. */
  join(units: readonly FrameUnit[]): Bytes;
  /** The units of a sealed frame: bodies are ciphertext, and the last one ends with the trailer. */
  splitSealed(frame: Bytes): FrameUnit[] | null;
  /** A sealed frame, with `trailer` behind the last body. */
  joinSealed(units: readonly FrameUnit[], trailer: Uint8Array): Bytes;
  /** What a tag covers of the units: their clear bytes, and the bounds of their bodies where there are several. */
  canonical(units: readonly FrameUnit[]): Bytes;
}

const LENGTHS = 8;

/** Canonical form of several units: `clear length (4) | body length (4) | clear` of each. */
export function listed(units: readonly FrameUnit[]): Bytes {
  const list = new Uint8Array(units.reduce((length, { clear }) => length + LENGTHS + clear.length, 0));
  const view = new DataView(list.buffer);
  let at = 0;
  for (const { clear, body } of units) {
    view.setUint32(at, clear.length);
    view.setUint32(at + 4, body?.length ?? 0);
    list.set(clear, at + LENGTHS);
    at += LENGTHS + clear.length;
  }
  return list;
}

/** All bodies as one; a copy only where there are several. */
export function gather(units: readonly FrameUnit[]): Bytes {
  const only = units.length === 1 ? units[0]?.body : undefined;
  return only ?? concat(...units.flatMap(({ body }) => body ?? []));
}

/** The same units with `bytes` as their bodies, each as long as before but the last, which takes all that is left. */
export function refill(units: readonly FrameUnit[], bytes: Bytes): FrameUnit[] {
  const [only] = units;
  if (units.length === 1 && only?.body) return [{ clear: only.clear, body: bytes }];
  const last = lastSealed(units);
  const filled: FrameUnit[] = [];
  let at = 0;
  for (const [index, { clear, body }] of units.entries()) {
    const start = at;
    if (body !== null) at = index === last ? bytes.length : start + body.length;
    filled.push({ clear, body: body && bytes.subarray(start, at) });
  }
  return filled;
}

/** The index of the last unit that has a body; -1 where none has. */
export function lastSealed(units: readonly FrameUnit[]): number {
  return units.findLastIndex(({ body }) => body !== null);
}
