import { Cursor, concat, u16, utf8 } from "@sealcast/bytes";
import type { KeyPackage } from "ts-mls";
import { decryptWithLabel, encryptWithLabel } from "ts-mls/crypto/hpke.js";
import type { Membership } from "./key-package.ts";
import type { OwnKeyPackage } from "./welcome.ts";

const LABEL = "Sealcast link";
const SECRET_SIZE = 32;

/**
 * The link's secret for whoever made this key package, and nobody else: RFC 9420 section 5.1.3, EncryptWithLabel to its
 * init key. `length of the KEM's output (2) | KEM's output | ciphertext`
 */
export async function sealHandover(
  { suite: { hpke }, room, linkSecret }: Pick<Membership, "suite" | "room" | "linkSecret">,
  { initKey }: KeyPackage,
): Promise<Uint8Array> {
  const recipient = await hpke.importPublicKey(initKey);
  const { enc, ct } = await encryptWithLabel(recipient, LABEL, utf8(room), linkSecret.reveal(), hpke);
  return concat(u16(enc.length), enc, ct);
}

/** The secret; null: malformed, or not for this key package. */
export async function openHandover(
  { suite: { hpke }, room }: Pick<Membership, "suite" | "room">,
  { privatePackage }: OwnKeyPackage,
  sealed: Uint8Array,
): Promise<Uint8Array | null> {
  try {
    const cursor = new Cursor(sealed);
    const enc = cursor.bytes(cursor.u16());
    const key = await hpke.importPrivateKey(privatePackage.initPrivateKey);
    const secret = await decryptWithLabel(key, LABEL, utf8(room), enc, cursor.rest(), hpke);
    return secret.length === SECRET_SIZE ? secret : null;
  } catch {
    return null;
  }
}
