import { Cursor, concat, u16, utf8 } from "@sealcast/bytes";
import type { CiphersuiteImpl } from "ts-mls";
import { decryptWithLabel, encryptWithLabel } from "ts-mls/crypto/hpke.js";

type Hpke = CiphersuiteImpl["hpke"];

/**
 * RFC 9420 section 5.1.3, EncryptWithLabel to a public key: `length of the KEM's output (2) | KEM's output | ciphertext`. Null:
 * there is no key, or it is none of the suite's.
 */
export async function sealTo(
  publicKey: Uint8Array | null,
  label: string,
  context: string,
  plaintext: Uint8Array,
  hpke: Hpke,
): Promise<Uint8Array | null> {
  if (publicKey === null) return null;
  try {
    const key = await hpke.importPublicKey(publicKey);
    const { enc, ct } = await encryptWithLabel(key, label, utf8(context), plaintext, hpke);
    return concat(u16(enc.length), enc, ct);
  } catch {
    return null;
  }
}

/** What sealTo sealed; null: malformed, or sealed to another key, label or context. */
export async function openSealedTo(
  privateKey: Parameters<Hpke["open"]>[0],
  label: string,
  context: string,
  sealed: Uint8Array,
  hpke: Hpke,
): Promise<Uint8Array | null> {
  try {
    const cursor = new Cursor(sealed);
    const enc = cursor.bytes(cursor.u16());
    return await decryptWithLabel(privateKey, label, utf8(context), enc, cursor.rest(), hpke);
  } catch {
    return null;
  }
}
