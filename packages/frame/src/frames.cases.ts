import { concat } from "@sealcast/bytes";
import fc from "fast-check";
import type { Codec } from "./index.ts";

/**
 * Frames of every codec as encoders make them, and what the network does to frames. Nothing here uses the code
 * under test.
 */

type Bytes = Uint8Array<ArrayBuffer>;

export interface Made {
  frame: Bytes;
  /** What reaches the decoder: the frame without delimiters and filler, with start codes and sizes in one form. */
  decoded: Bytes;
  /** Clear and sealed bytes of each unit; null: nothing is sealed. */
  units: { clear: Bytes; body: Bytes | null }[];
}

export const CODECS: readonly Codec[] = ["vp8", "vp9", "opus", "red", "h264", "h265", "av1"];

/** Bytes in which zeros and what must not stand behind them are frequent. */
export const zeroRich = fc
  .uint16Array({ maxLength: 40 })
  .map((list) => Uint8Array.from(list, (value) => (value < 0x9000 ? 0 : value < 0xc000 ? value & 3 : value & 255)));

const NAL_TYPES = {
  h264: { slice: [1, 5], clear: [6, 7, 8, 10, 15], dropped: [9, 12] },
  h265: { slice: [0, 1, 9, 16, 19, 21], clear: [32, 33, 34, 36, 39, 40], dropped: [35, 38] },
};

export function frames(codec: Codec): fc.Arbitrary<Made> {
  if (codec === "h264" || codec === "h265") return nalFrames(codec);
  if (codec === "av1") return obuFrames;
  return fc.uint8Array({ minLength: 10, maxLength: 60 }).map((frame) => {
    const clear = codec !== "vp8" ? 0 : ((frame[0] ?? 0) & 1) === 0 ? 10 : 1;
    return { frame, decoded: frame, units: [{ clear: frame.slice(0, clear), body: frame.slice(clear) }] };
  });
}

function nalFrames(codec: "h264" | "h265"): fc.Arbitrary<Made> {
  const { slice, clear, dropped } = NAL_TYPES[codec];
  const other = (types: number[], of: "clear" | "dropped") =>
    fc.tuple(fc.constantFrom(...types), zeroRich).map(([type, payload]) => {
      const nal = concat(nalHeader(codec, type), escapedSlowly(concat(payload, Uint8Array.of(0x80))));
      return { nal, of, clear: nal, body: null };
    });
  const code = fc.oneof(fc.nat(3), fc.nat(2 ** 20), fc.constant(2 ** 32 - 2));
  const slices = fc
    .tuple(fc.constantFrom(...slice), code, code, code, zeroRich)
    .map(([type, first, second, id, payload]) => {
      const bits = codec === "h264" ? ue(first) + ue(second) + ue(id) : (type < 16 ? "1" : "10") + ue(id);
      const header = packed(bits);
      const start = nalHeader(codec, type);
      const nal = concat(start, escapedSlowly(concat(header, payload, Uint8Array.of(0x80))));
      const length = start.length + escapedSlowly(header).length;
      return { nal, of: "slice" as const, clear: nal.slice(0, length), body: nal.slice(length) };
    });
  const any = fc.oneof(slices, other(clear, "clear"), other(dropped, "dropped"));
  const zeros = fc.integer({ min: 2, max: 5 });
  return fc
    .tuple(fc.array(any, { maxLength: 3 }), slices, fc.array(any, { maxLength: 2 }), zeros, zeros)
    .map(([before, one, after, count, end]) => {
      const all = [...before, one, ...after];
      const kept = all.filter(({ of }) => of !== "dropped");
      const code = Uint8Array.of(...new Array(count).fill(0), 1);
      return {
        frame: concat(...all.flatMap(({ nal }) => [code, nal]), new Uint8Array(end - 2)),
        decoded: concat(...kept.flatMap(({ nal }) => [Uint8Array.of(0, 0, 0, 1), nal])),
        units: kept.map(({ clear, body }) => ({ clear, body })),
      };
    });
}

function nalHeader(codec: "h264" | "h265", type: number): Bytes {
  return codec === "h264" ? Uint8Array.of(0x60 | type) : Uint8Array.of(type << 1, 1);
}

/** An Exp-Golomb code. */
function ue(value: number): string {
  const binary = (value + 1).toString(2);
  return "0".repeat(binary.length - 1) + binary;
}

function packed(bits: string): Bytes {
  const octets = bits.match(/.{1,8}/g) ?? [];
  return Uint8Array.from(octets, (octet) => Number.parseInt(octet.padEnd(8, "1"), 2));
}

export function escapedSlowly(rbsp: Uint8Array): Bytes {
  const out: number[] = [];
  for (const byte of rbsp) {
    if (byte <= 3 && out.at(-1) === 0 && out.at(-2) === 0) out.push(3);
    out.push(byte);
  }
  return Uint8Array.from(out);
}

const obus = fc.record({
  type: fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 8, 9, 15),
  extension: fc.option(fc.nat(255), { nil: null }),
  payload: fc.oneof(zeroRich, fc.uint8Array({ minLength: 120, maxLength: 140 })),
  padding: fc.nat(5),
});

const obuFrames: fc.Arbitrary<Made> = fc
  .tuple(fc.array(obus, { maxLength: 3 }), obus, fc.boolean())
  .map(([before, one, sized]) => {
    const all = [...before, { ...one, type: one.type === 2 || one.type === 8 || one.type === 15 ? 6 : one.type }];
    const kept = all.filter(({ type }) => type !== 2 && type !== 8 && type !== 15);
    const start = ({ type, extension }: (typeof all)[number], hasSize: boolean) =>
      Uint8Array.of(
        (type << 3) | (extension === null ? 0 : 4) | (hasSize ? 2 : 0),
        ...(extension === null ? [] : [extension]),
      );
    return {
      frame: concat(
        ...all.flatMap((obu, i) => {
          const hasSize = sized || i < all.length - 1;
          return [
            start(obu, hasSize),
            hasSize ? leb128(obu.payload.length, obu.padding) : new Uint8Array(),
            obu.payload,
          ];
        }),
      ),
      decoded: concat(...kept.flatMap((obu) => [start(obu, true), leb128(obu.payload.length), obu.payload])),
      units: kept.map((obu) => ({ clear: start(obu, true), body: obu.payload })),
    };
  });

/** With `padding` more bytes than it needs. */
function leb128(value: number, padding = 0): Bytes {
  const digits = [value & 127];
  for (let left = value >> 7; left > 0; left >>= 7) digits.push(left & 127);
  digits.push(...new Array(padding).fill(0));
  return Uint8Array.from(digits, (digit, i) => (i < digits.length - 1 ? digit | 128 : digit));
}

/** What may become of a sealed frame on its way through packetizers and relays. */
export function onTheWay(codec: Codec, frame: Bytes): Bytes[] {
  if (codec === "h264") return nalsOnTheWay(frame, Uint8Array.of(0x09, 0xf0));
  if (codec === "h265") return nalsOnTheWay(frame, Uint8Array.of(0x46, 0x01, 0x50));
  if (codec === "av1") return obusOnTheWay(frame);
  return [frame];
}

function nalsOnTheWay(frame: Bytes, delimiter: Bytes): Bytes[] {
  const nals = nalsOf(frame);
  const behind = (code: number[], list: Bytes[]) => concat(...list.flatMap((nal) => [Uint8Array.from(code), nal]));
  return [
    behind([0, 0, 1], nals),
    behind([0, 0, 0, 1], [delimiter, ...nals]),
    behind(
      [0, 0, 0, 1],
      nals.flatMap((nal) => [nal, delimiter]),
    ),
    concat(behind([0, 0, 0, 0, 0, 1], nals), new Uint8Array(3)),
  ];
}

/** NAL units of an Annex B stream, without the zero bytes behind them. */
export function nalsOf(frame: Bytes): Bytes[] {
  const starts = [...frame.keys()].filter((i) => frame[i - 3] === 0 && frame[i - 2] === 0 && frame[i - 1] === 1);
  return starts.map((start, i) => {
    let end = (starts[i + 1] ?? frame.length + 3) - 3;
    while (frame[end - 1] === 0) end--;
    return frame.slice(start, end);
  });
}

function obusOnTheWay(frame: Bytes): Bytes[] {
  const all = obusOf(frame);
  const written = (padding: number) =>
    all.flatMap(({ start, payload }) => [start, leb128(payload.length, padding), payload]);
  const last = all.at(-1);
  if (last === undefined) return [];
  const unsized = Uint8Array.from(last.start, (byte, i) => (i === 0 ? byte & ~2 : byte));
  return [
    concat(Uint8Array.of(0x12, 0), ...written(0)),
    concat(...written(3)),
    concat(...written(0).slice(0, -3), unsized, last.payload),
    concat(...written(0), Uint8Array.of(0x7a, 2, 0, 0x80)),
  ];
}

/** OBUs that all have a size. */
function obusOf(frame: Bytes): { start: Bytes; payload: Bytes }[] {
  const all = [];
  for (let at = 0; at < frame.length; ) {
    const start = frame.slice(at, at + (((frame[at] ?? 0) & 4) === 0 ? 1 : 2));
    let size = 0;
    let shift = 0;
    for (at += start.length; ; at++, shift += 7) {
      size |= ((frame[at] ?? 0) & 127) << shift;
      if ((frame[at] ?? 0) < 128) break;
    }
    all.push({ start, payload: frame.slice(at + 1, at + 1 + size) });
    at += 1 + size;
  }
  return all;
}
