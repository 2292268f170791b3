export { concat, equal, highWord, lowWord, u16, u32, u64, utf8 } from "./bytes.ts";
export { Cursor, OutOfBytes } from "./cursor.ts";
export { fromBase64url, fromHex, toBase64url, toHex } from "./text.ts";
