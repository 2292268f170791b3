import { concat, u16, u32, u64, utf8 } from "./bytes.ts";
import { Cursor, Malformed } from "./cursor.ts";
import { fromBase64url, fromHex, toBase64url, toHex } from "./text.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const LETTERS = /^[A-Za-z0-9_-]*$/;

/** How a value stands in bytes, in both directions; the names are those of RFC 8446 section 3. */
export interface Layout<T> {
  /** Bytes that each value takes; NaN where that depends on the value. */
  readonly size: number;
  /** RangeError when this layout does not hold `value`. */
  encode(value: T): Bytes;
  /** What was read is a copy. Throws Malformed. */
  read(cursor: Cursor): T;
  /** Null unless `bytes` is exactly what `encode` writes: too few, too many, and values that are none are refused. */
  parse(bytes: Uint8Array): T | null;
}

/** What a layout holds. */
export type Infer<L> = L extends Layout<infer T> ? T : never;

/** A layout with `parse`, of its other parts. */
export function layout<T>(parts: Omit<Layout<T>, "parse">): Layout<T> {
  return {
    ...parts,
    parse(bytes) {
      const cursor = new Cursor(bytes);
      try {
        const value = parts.read(cursor);
        return cursor.left === 0 ? value : null;
      } catch (error) {
        if (error instanceof Malformed) return null;
        throw error;
      }
    },
  };
}

type Fields = Readonly<Record<string, Layout<unknown>>>;
/** Of each field, but for those that are constant. */
type FieldValues<F extends Fields> = {
  readonly [K in keyof F as F[K] extends Layout<undefined> ? never : K]: Infer<F[K]>;
};
type Variants = Readonly<Record<string, readonly [tag: number, fields: Fields]>>;
type VariantValues<V extends Variants> = {
  [K in keyof V]: { readonly type: K } & FieldValues<V[K][1]>;
}[keyof V];

export const uint8: Layout<number> = layout({ size: 1, encode: byte, read: (cursor) => cursor.u8() });
export const uint16: Layout<number> = layout({ size: 2, encode: u16, read: (cursor) => cursor.u16() });
export const uint32: Layout<number> = layout({ size: 4, encode: u32, read: (cursor) => cursor.u32() });
export const uint64: Layout<bigint> = layout({ size: 8, encode: u64, read: (cursor) => cursor.u64() });

/** 8 bytes that hold a number exactly: below 2 to the power of 53. */
export const safeUint64: Layout<number> = layout({
  size: 8,
  encode: (value) => u64(BigInt(value)),
  read(cursor) {
    const value = Number(cursor.u64());
    if (!Number.isSafeInteger(value)) throw new Malformed(`${value} may not be exact`);
    return value;
  },
});

/** One byte, 0 or 1. */
export const flag: Layout<boolean> = oneByte([
  [false, 0],
  [true, 1],
]);

/** One byte that is always this one, and no part of the value: a version, or what kind of message it is. */
export function constant(code: number): Layout<undefined> {
  return oneByte([[undefined, code]]);
}

/** One byte for each of these words. */
export function oneOf<const K extends string>(words: Readonly<Record<K, number>>): Layout<K> {
  return oneByte(Object.entries(words) as [K, number][]);
}

/** A number of bytes. */
export function opaque(size: number): Layout<Uint8Array> {
  return layout({
    size,
    encode(value) {
      if (value.length !== size) throw new RangeError(`${value.length} bytes in place of ${size}`);
      return concat(value);
    },
    read: (cursor) => cursor.bytes(size).slice(),
  });
}

/** `size` bytes whose value is their lower-case hexadecimal. */
export function hex(size: number): Layout<string> {
  return asText(size, toHex, fromHex);
}

/** `size` bytes whose value is their base64url. */
export function base64url(size: number): Layout<string> {
  return asText(size, toBase64url, fromBase64url);
}

/** As many letters of base64url's alphabet, each a byte, as they are. Whether they are that many, only a reader looks. */
export function letters(length: number): Layout<string> {
  return layout({
    size: length,
    encode: utf8,
    read(cursor) {
      const text = String.fromCharCode(...cursor.bytes(length));
      if (!LETTERS.test(text)) throw new Malformed("letters that are none of base64url's");
      return text;
    },
  });
}

/** Bytes behind their number. */
export function prefixed(length: Layout<number>): Layout<Uint8Array> {
  return layout({
    size: Number.NaN,
    encode: (value) => concat(length.encode(value.length), value),
    read: (cursor) => cursor.bytes(length.read(cursor)).slice(),
  });
}

/** All bytes to the end: `min` to `max`, which only a reader looks at. */
export function rest(max = Number.POSITIVE_INFINITY, min = 0): Layout<Uint8Array> {
  return layout({
    size: Number.NaN,
    encode: (value) => concat(value),
    read(cursor) {
      if (cursor.left < min || cursor.left > max)
        throw new Malformed(`${cursor.left} bytes left: ${min} to ${max} fit`);
      return cursor.rest().slice();
    },
  });
}

/** Exactly this many of an item. */
export function array<T>(length: number, item: Layout<T>): Layout<readonly T[]> {
  return layout({
    size: length * item.size,
    encode(values) {
      if (values.length !== length) throw new RangeError(`${values.length} items in place of ${length}`);
      return concat(...values.map((value) => item.encode(value)));
    },
    read: (cursor) => Array.from({ length }, () => item.read(cursor)),
  });
}

/** Items behind their number. */
export function list<T>(length: Layout<number>, item: Layout<T>): Layout<readonly T[]> {
  return layout({
    size: Number.NaN,
    encode: (values) => concat(length.encode(values.length), ...values.map((value) => item.encode(value))),
    read: (cursor) => Array.from({ length: length.read(cursor) }, () => item.read(cursor)),
  });
}

/** Fields in their order, one after the other. */
export function struct<const F extends Fields>(fields: F): Layout<FieldValues<F>> {
  return layout({
    size: Object.values(fields).reduce((sum, { size }) => sum + size, 0),
    encode: (values) => encodeFields(fields, values),
    read: (cursor) => readFields(fields, cursor) as FieldValues<F>,
  });
}

/** A byte that says which of these it is, and that one's fields. */
export function union<const V extends Variants>(variants: V): Layout<VariantValues<V>> {
  return layout({
    size: Number.NaN,
    encode(value) {
      const [tag, fields] = variants[value.type] as V[keyof V];
      return concat(byte(tag), encodeFields(fields, value));
    },
    read(cursor) {
      const tag = cursor.u8();
      const found = Object.entries(variants).find(([, variant]) => variant[0] === tag);
      if (found === undefined) throw new Malformed(`${tag} is the tag of nothing here`);
      const [type, [, fields]] = found;
      return { type, ...readFields(fields, cursor) } as VariantValues<V>;
    },
  });
}

function byte(value: number): Bytes {
  if (!Number.isInteger(value) || value < 0 || value > 0xff)
    throw new RangeError(`${value} is not an unsigned 8-bit integer`);
  return Uint8Array.of(value);
}

function encodeFields(fields: Fields, values: object): Bytes {
  const known = values as Readonly<Record<string, unknown>>;
  return concat(...Object.entries(fields).map(([name, field]) => field.encode(known[name])));
}

function readFields(fields: Fields, cursor: Cursor): Record<string, unknown> {
  const read = Object.entries(fields).map(([name, field]) => [name, field.read(cursor)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

function oneByte<T>(values: readonly (readonly [T, number])[]): Layout<T> {
  return layout({
    size: 1,
    encode(value) {
      const found = values.find(([each]) => each === value);
      if (found === undefined) throw new RangeError(`${value} is none of ${values.map(([each]) => each)}`);
      return byte(found[1]);
    },
    read(cursor) {
      const code = cursor.u8();
      const found = values.find(([, each]) => each === code);
      if (found === undefined) throw new Malformed(`${code} stands for nothing here`);
      return found[0];
    },
  });
}

function asText(size: number, write: (bytes: Uint8Array) => string, parse: (text: string) => Bytes | null) {
  const bytes = opaque(size);
  return layout({
    size,
    encode: (text: string) => bytes.encode(parse(text) ?? new Uint8Array()),
    read: (cursor: Cursor) => write(cursor.bytes(size)),
  });
}
