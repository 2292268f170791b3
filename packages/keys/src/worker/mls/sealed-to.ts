import { prefixed, rest, struct, uint16, utf8 } from "@sealcast/bytes";
import type { CiphersuiteImpl } from "ts-mls";
import { decryptWithLabel, encryptWithLabel } from "ts-mls/crypto/hpke.js";

type Hpke = CiphersuiteImpl["hpke"];

/** The KEM's output and the ciphertext. */
const hpkeCiphertext = struct({ enc: prefixed(uint16), ct: rest() });

/**
 * RFC 9420 section 5.1.3, EncryptWithLabel to a public key. Null: there is no key, or it is none of the suite's.
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
    return hpkeCiphertext.encode(await encryptWithLabel(key, label, utf8(context), plaintext, hpke));
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
  const parsed = hpkeCiphertext.parse(sealed);
  if (parsed === null) return null;
  try {
    return await decryptWithLabel(privateKey, label, utf8(context), parsed.enc, parsed.ct, hpke);
  } catch {
    return null;
  }
}
