import type { CiphersuiteImpl } from "ts-mls";
import { X_WING_KEY_SIZE } from "../../shared/sizes.ts";

/** Of the key of ML-KEM-768, which comes first. */
const KEM_SIZE = 1184;
/** Of an ML-KEM-768 key, these bytes are numbers of 12 bits below the modulus (FIPS 203 section 7.2). */
const NUMBERS_SIZE = 1152;
const MODULUS = 3329;

/**
 * Whether something can be sealed to all these keys, as the suite's import tells. One to which nothing can be, in the tree, would end all commits but
 * that which removes it.
 */
export function canSealTo(keys: readonly Uint8Array[], { hpke }: Pick<CiphersuiteImpl, "hpke">): Promise<boolean> {
  return Promise.all(keys.map((key) => hpke.importPublicKey(key))).then(
    () => true,
    () => false,
  );
}

/** Whether something can be sealed to that X-Wing key. To do so would tell as well, and takes a hundred times as long. */
export async function isUsable(key: Uint8Array): Promise<boolean> {
  return key.length === X_WING_KEY_SIZE && isReduced(key) && (await isOfHighOrder(key));
}

function isReduced(key: Uint8Array): boolean {
  for (let at = 0; at < NUMBERS_SIZE; at += 3) {
    const [low = 0, middle = 0, high = 0] = key.subarray(at, at + 3);
    if ((low | ((middle & 15) << 8)) >= MODULUS || ((middle >> 4) | (high << 4)) >= MODULUS) return false;
  }
  return true;
}

/** Whatever is multiplied with a point of low order gives zero, which is refused. */
async function isOfHighOrder(key: Uint8Array): Promise<boolean> {
  try {
    const point = await crypto.subtle.importKey("raw", key.slice(KEM_SIZE), "X25519", false, []);
    const pair = await crypto.subtle.generateKey("X25519", false, ["deriveBits"]);
    await crypto.subtle.deriveBits({ name: "X25519", public: point }, (pair as CryptoKeyPair).privateKey, 256);
    return true;
  } catch {
    return false;
  }
}
