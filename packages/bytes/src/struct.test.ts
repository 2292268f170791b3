import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { Cursor } from "./cursor.ts";
import {
  array,
  base64url,
  constant,
  flag,
  hex,
  type Infer,
  type Layout,
  layout,
  letters,
  list,
  oneOf,
  opaque,
  prefixed,
  rest,
  safeUint64,
  struct,
  uint8,
  uint16,
  uint32,
  uint64,
  union,
} from "./struct.ts";
import { toBase64url, toHex } from "./text.ts";

const point = struct({ x: uint8, y: uint16 });
const everything = struct({
  version: constant(7),
  isOpen: flag,
  mode: oneOf({ open: 0, locked: 4 }),
  small: uint8,
  middle: uint16,
  large: uint32,
  huge: uint64,
  exact: safeUint64,
  key: opaque(3),
  id: hex(2),
  node: base64url(4),
  member: letters(4),
  corners: array(2, point),
  named: prefixed(uint8),
  items: list(uint16, point),
  tail: rest(5),
});
const said = union({
  hello: [1, { from: uint8, name: prefixed(uint8) }],
  bye: [2, {}],
  data: [9, { from: uint8, body: rest(4, 1) }],
});

const uint = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 });
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const points = { x: uint(8), y: uint(16) };
const anything: fc.Arbitrary<Infer<typeof everything>> = fc.record({
  isOpen: fc.boolean(),
  mode: fc.constantFrom("open", "locked"),
  small: uint(8),
  middle: uint(16),
  large: uint(32),
  huge: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  exact: fc.maxSafeNat(),
  key: bytes(3),
  id: bytes(2).map(toHex),
  node: bytes(4).map(toBase64url),
  member: fc.stringMatching(/^[A-Za-z0-9_-]{4}$/),
  corners: fc.array(fc.record(points), { minLength: 2, maxLength: 2 }),
  named: fc.uint8Array({ maxLength: 255 }),
  items: fc.array(fc.record(points)),
  tail: fc.uint8Array({ maxLength: 5 }),
});
const anySaid: fc.Arbitrary<Infer<typeof said>> = fc.oneof(
  fc.record({ type: fc.constant("hello" as const), from: uint(8), name: fc.uint8Array({ maxLength: 20 }) }),
  fc.record({ type: fc.constant("bye" as const) }),
  fc.record({
    type: fc.constant("data" as const),
    from: uint(8),
    body: fc.uint8Array({ minLength: 1, maxLength: 4 }),
  }),
);

test("what is encoded is parsed back", () => {
  fc.assert(
    fc.property(anything, anySaid, (value, other) => {
      expect(everything.parse(everything.encode(value))).toEqual(value);
      expect(said.parse(said.encode(other))).toEqual(other);
    }),
  );
});

/** Refused, or exactly what is encoded of what it says. */
function expectCanonical<T>(layout: Layout<T>, input: Uint8Array): void {
  const parsed = layout.parse(input);
  if (parsed !== null) expect(layout.encode(parsed)).toEqual(new Uint8Array(input));
}

test("any bytes are refused, or are exactly what is encoded of what they say", () => {
  const near = anything.chain((value) => {
    const whole = everything.encode(value);
    const cut = fc.nat(whole.length - 1).map((length) => whole.slice(0, length));
    const bent = fc.tuple(fc.nat(whole.length - 1), uint(8)).map(([at, by]) => whole.with(at, by));
    return fc.oneof(cut, bent);
  });
  const tagged = fc.tuple(fc.constantFrom(0, 1, 2, 9), fc.uint8Array({ maxLength: 8 }));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 60 }), near), tagged, (input, [tag, more]) => {
      expectCanonical(everything, input);
      expectCanonical(said, Uint8Array.of(tag, ...more));
    }),
  );
});

test("one byte more is refused, unless it is part of the rest", () => {
  const corner = Uint8Array.of(1, 0, 2);
  expect(point.parse(corner)).toEqual({ x: 1, y: 2 });
  expect(point.parse(Uint8Array.of(...corner, 0))).toBeNull();
  expect(point.parse(corner.subarray(0, 2))).toBeNull();
  expect(said.parse(Uint8Array.of(2, 0))).toBeNull();
});

describe("refuses", () => {
  const cases: [name: string, layout: Layout<unknown>, refused: number[]][] = [
    ["another constant", constant(7), [8]],
    ["a flag that is neither", flag, [2]],
    ["a byte for no word", oneOf({ open: 0, locked: 4 }), [1]],
    ["a number that may not be exact", safeUint64, [0, 0x20, 0, 0, 0, 0, 0, 0]],
    ["a letter that is none", letters(2), [0x41, 0x2b]],
    ["too many to the end", rest(1), [0, 0]],
    ["too few to the end", rest(2, 1), []],
    ["a tag that is none", said, [3]],
    ["fewer bytes than are said", prefixed(uint8), [2, 0]],
    ["fewer items than are said", list(uint8, uint16), [2, 0, 0, 0]],
  ];
  test.each(cases)("%s", (_, layout, refused) => {
    expect(() => layout.read(new Cursor(Uint8Array.from(refused)))).toThrow();
    expect(struct({ layout }).parse(Uint8Array.from(refused))).toBeNull();
  });
});

describe("encodes no", () => {
  const cases: [name: string, encode: () => Uint8Array][] = [
    ["number that is too large", () => uint8.encode(256)],
    ["negative one", () => uint8.encode(-1)],
    ["fraction", () => uint8.encode(0.5)],
    ["other length of bytes", () => opaque(2).encode(new Uint8Array(3))],
    ["hexadecimal of another length", () => hex(2).encode("aa")],
    ["hexadecimal that is none", () => hex(1).encode("zz")],
    ["base64url of another length", () => base64url(4).encode("AAAA")],
    ["more items than a fixed number", () => array(1, uint8).encode([1, 2])],
    ["more bytes than their number can say", () => prefixed(uint8).encode(new Uint8Array(256))],
    ["word that has no byte", () => oneOf({ open: 0 }).encode("shut" as "open")],
  ];
  test.each(cases)("%s", (_, encode) => expect(encode).toThrow(RangeError));
});

test("a bug in a layout is thrown, not taken for malformed bytes", () => {
  const broken: Layout<number> = layout({ ...uint8, read: () => expect.unreachable("a bug") });
  expect(() => struct({ broken }).parse(Uint8Array.of(0))).toThrow("a bug");
});

test("what is read is a copy", () => {
  const input = Uint8Array.of(1, 2, 3);
  const layout = struct({ key: opaque(1), tail: rest() });
  const parsed = layout.parse(input);
  input.fill(0);
  expect(parsed).toEqual({ key: Uint8Array.of(1), tail: Uint8Array.of(2, 3) });
});

test("the size is that of each value, where all have one", () => {
  expect([point.size, struct({ version: constant(1), points: array(3, point), id: hex(16) }).size]).toEqual([3, 26]);
  expect([everything.size, said.size]).toEqual([Number.NaN, Number.NaN]);
});

test("a value has the fields that are described, and no constant", () => {
  expectTypeOf<Infer<typeof point>>().toEqualTypeOf<{ readonly x: number; readonly y: number }>();
  const tagged = struct({ version: constant(1), key: opaque(1) });
  expectTypeOf<Infer<typeof tagged>>().toEqualTypeOf<{ readonly key: Uint8Array }>();
  expect(tagged.parse(Uint8Array.of(1, 2))).toEqual({ key: Uint8Array.of(2) });
});
