import { Aes256Gcm, CipherSuite, HkdfSha512 } from "@hpke/core";
import { XWing } from "@hpke/hybridkem-x-wing";
import type { CiphersuiteImpl, Signature } from "ts-mls";
import type { Aead } from "ts-mls/crypto/aead.js";
import { makeHashImpl } from "ts-mls/crypto/implementation/default/makeHashImpl.js";
import { makeKdfImpl } from "ts-mls/crypto/implementation/default/makeKdfImpl.js";
import { makeGenericHpke } from "ts-mls/crypto/implementation/hpke.js";
import { verifyEd25519 } from "../identity/ed25519.ts";
import { isUsable } from "./kem-key.ts";

export const SUITE_NAME = "MLS_256_XWING_AES256GCM_SHA512_Ed25519";

/** The one MLS suite of this application, on Web Crypto. Assembled here so that the others stay out of the bundle. */
export async function mlsSuite(): Promise<CiphersuiteImpl> {
  const parts = new CipherSuite({ kem: new XWing(), kdf: new HkdfSha512(), aead: new Aes256Gcm() });
  const hpke = await makeGenericHpke({ kem: "X-Wing", kdf: "HKDF-SHA512", aead: "AES256GCM" }, aes256Gcm, parts);
  return {
    name: SUITE_NAME,
    hash: makeHashImpl(crypto.subtle, "SHA-512"),
    kdf: makeKdfImpl(new HkdfSha512()),
    hpke: {
      ...hpke,
      async importPublicKey(key) {
        if (!(await isUsable(key))) throw new Error("nothing can be sealed to this key");
        return hpke.importPublicKey(key);
      },
    },
    signature: ed25519,
    rng: { randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
  };
}

const aes256Gcm: Aead = {
  async encrypt(key, iv, aad, plaintext) {
    const parameters = { name: "AES-GCM", iv: new Uint8Array(iv), additionalData: new Uint8Array(aad) };
    const imported = await crypto.subtle.importKey("raw", new Uint8Array(key), "AES-GCM", false, ["encrypt"]);
    return new Uint8Array(await crypto.subtle.encrypt(parameters, imported, new Uint8Array(plaintext)));
  },
  async decrypt(key, iv, aad, ciphertext) {
    const parameters = { name: "AES-GCM", iv: new Uint8Array(iv), additionalData: new Uint8Array(aad) };
    const imported = await crypto.subtle.importKey("raw", new Uint8Array(key), "AES-GCM", false, ["decrypt"]);
    return new Uint8Array(await crypto.subtle.decrypt(parameters, imported, new Uint8Array(ciphertext)));
  },
};

const ed25519: Signature = {
  async sign(signKey, message) {
    const key = await crypto.subtle.importKey("pkcs8", new Uint8Array(signKey), "Ed25519", false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign("Ed25519", key, new Uint8Array(message)));
  },
  verify: verifyEd25519,
  async keygen() {
    const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    return {
      publicKey: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)),
      signKey: new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey)),
    };
  },
};
