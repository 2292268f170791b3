import { utf8 } from "@sealcast/bytes";
import { unshared } from "./unshared.ts";

/** HKDF-SHA-512 (RFC 5869): `length` bytes from `secret`. `info` names the purpose; every purpose has its own. */
export async function hkdf(
  secret: Uint8Array,
  info: string,
  length: number,
  salt: Uint8Array = new Uint8Array(),
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey("raw", unshared(secret), "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-512", salt: unshared(salt), info: utf8(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, length * 8));
}
