import { scrypt } from "@noble/hashes/scrypt.js";
import { concat, toHex, u16, utf8 } from "@sealcast/bytes";
import { COST, DIGITS_BYTES, digitsOf } from "./code-digits.ts";

const VERSION = 2;
const SALT = utf8("Sealcast meeting code");

/**
 * 30 digits that are equal for all who see the same identity keys in the same room (PROTOCOL.md section 4.13.1). Takes
 * about half a second.
 *
 * @param room in 22 letters.
 * @param identities 32 bytes each, one's own included, in any order; one that is there twice counts once.
 */
export function meetingCode(room: string, identities: readonly Uint8Array[]): string {
  const distinct = new Map(identities.map((identity) => [toHex(identity), identity]));
  const sorted = [...distinct].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, identity]) => identity);
  const password = concat(Uint8Array.of(VERSION), utf8(room), u16(sorted.length), ...sorted);
  return digitsOf(scrypt(password, SALT, { ...COST, dkLen: DIGITS_BYTES }));
}
