import { type Bytes, type FrameUnit, type Framing, gather } from "./unit.ts";

const NOTHING = new Uint8Array();

/** VP9, Opus and RED: sealed from the first byte on. */
export const SEALED_WHOLE = whole(() => 0);

/**
 * VP8 (RFC 6386 section 9.1): a key frame's tag, start code and size stay clear, or the first byte of another frame's
 * tag, which tells the two apart. The packetizer and relays read these.
 */
export const VP8 = whole((first) => ((first & 1) === 0 ? 10 : 1));

/** A frame that is one unit. How many of its bytes stay clear follows from the first. */
function whole(clearLength: (first: number) => number): Framing {
  const split = (frame: Bytes): FrameUnit[] | null => {
    const length = clearLength(frame[0] ?? 0);
    if (length > frame.length) return null;
    return [{ clear: frame.subarray(0, length), body: frame.subarray(length) }];
  };
  return { split, join, splitSealed: split, joinSealed: join, canonical };
}

function join(units: readonly FrameUnit[], trailer: Uint8Array = NOTHING): Bytes {
  const clear = canonical(units);
  const body = gather(units);
  if (clear.length + trailer.length === 0 && body.length === body.buffer.byteLength) return body;
  const frame = new Uint8Array(clear.length + body.length + trailer.length);
  frame.set(clear);
  frame.set(body, clear.length);
  frame.set(trailer, clear.length + body.length);
  return frame;
}

function canonical([unit]: readonly FrameUnit[]): Bytes {
  return unit?.clear ?? NOTHING;
}
