import { concat, constant, equal, opaque, struct, uint8, utf8 } from "@sealcast/bytes";
import type { Extension, LeafNode } from "ts-mls";

/** The LeafNode extension that holds a member's name; private use (RFC 9420 section 17.3). */
export const NAME_EXTENSION = 0xf0a3;

/** Bytes of UTF-8. */
const MAX_NAME = 128;
const leafName = struct({ version: constant(1), length: uint8, padded: opaque(MAX_NAME) });
/** C0, DEL and C1: the same in every version of Unicode. */
const CONTROL = /\p{Cc}/u;
// A lone surrogate, a byte order mark and whatever else is not UTF-8 comes out as another name.
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Whether a leaf can hold what someone wants to be called: not blank, at most 128 bytes of UTF-8, no controls. */
export function isLeafName(name: string): boolean {
  return name.trim() !== "" && isValid(name);
}

/** The name in UTF-8 with zeros behind it. Throws when a leaf cannot hold the name. */
export function encodeName(name: string): Extension {
  if (!isValid(name)) throw new Error("a leaf cannot hold this name");
  const bytes = utf8(name);
  const padded = concat(bytes, new Uint8Array(MAX_NAME - bytes.length));
  return { extensionType: NAME_EXTENSION, extensionData: leafName.encode({ length: bytes.length, padded }) };
}

/** Null: the leaf has not exactly this one extension, does not list it, or it is malformed. */
export function nameOf({ extensions, capabilities }: LeafNode): string | null {
  const [only] = extensions;
  if (extensions.length !== 1 || only?.extensionType !== NAME_EXTENSION) return null;
  return capabilities.extensions.includes(NAME_EXTENSION) ? parseName(only.extensionData) : null;
}

/**
 * Members agree on this for ever, so nothing here depends on a version of Unicode: what is normalised, is so where names
 * are shown and compared.
 */
function parseName(data: Uint8Array): string | null {
  const parsed = leafName.parse(data);
  if (parsed === null) return null;
  const name = DECODER.decode(parsed.padded.subarray(0, parsed.length));
  return isValid(name) && equal(encodeName(name).extensionData, data) ? name : null;
}

function isValid(name: string): boolean {
  const size = utf8(name).length;
  return size > 0 && size <= MAX_NAME && name.isWellFormed() && !CONTROL.test(name);
}
