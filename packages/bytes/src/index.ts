export { concat, equal, highWord, lowWord, u16, u32, u64, utf8 } from "./bytes.ts";
export { Cursor, OutOfBytes } from "./cursor.ts";
export {
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
export { fromBase64url, fromHex, toBase64url, toHex } from "./text.ts";
