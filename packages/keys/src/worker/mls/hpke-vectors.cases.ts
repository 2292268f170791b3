import { Aes256Gcm, CipherSuite, DhkemP521HkdfSha512, HkdfSha512 } from "@hpke/core";
import { XWing } from "@hpke/hybridkem-x-wing";
import { fromHex, toHex } from "@sealcast/bytes";
import { describe, expect, test } from "vitest";
import hpkeText from "../../../vectors/hpke/p521-sha512-aes256gcm-base.json?raw";
import xWingText from "../../../vectors/x-wing/test-vectors.json?raw";

interface XWingVector {
  seed: string;
  eseed: string;
  ss: string;
  sk: string;
  pk: string;
  ct: string;
}

interface HpkeVector {
  kdf_id: number;
  aead_id: number;
  info: string;
  pkEm: string;
  skEm: string;
  pkRm: string;
  skRm: string;
  enc: string;
  shared_secret: string;
  encryptions: { sequence_number: number; pt: string; aad: string; ct: string }[];
  exports: { exporter_context: string; L: number; exported_value: string }[];
}

function bytes(hex: string): Uint8Array<ArrayBuffer> {
  const parsed = fromHex(hex);
  if (parsed === null) throw new Error(`vector holds ${hex}, which is not hex`);
  return parsed;
}

const hex = (buffer: ArrayBuffer): string => toHex(new Uint8Array(buffer));

/** The KEM draft's own vectors, and RFC 9180's of our KDF and AEAD, through the libraries that suite.ts is made of. */
export function hpkeVectorCases(): void {
  describe("X-Wing", () => {
    const vectors = JSON.parse(xWingText) as XWingVector[];
    const kem = new XWing();

    test("has its three vectors", () => expect(vectors).toHaveLength(3));

    test.each(vectors)("key pair and secret of $seed", async (vector) => {
      const pair = await kem.generateKeyPairDerand(bytes(vector.seed));
      expect(hex(await kem.serializePrivateKey(pair.privateKey))).toBe(vector.sk);
      expect(hex(await kem.serializePublicKey(pair.publicKey))).toBe(vector.pk);

      const recipientPublicKey = await kem.deserializePublicKey(bytes(vector.pk));
      const sent = await kem.encap({ recipientPublicKey, ekm: bytes(vector.eseed) });
      expect([hex(sent.enc), hex(sent.sharedSecret)]).toEqual([vector.ct, vector.ss]);

      const recipientKey = await kem.deserializePrivateKey(bytes(vector.sk));
      expect(hex(await kem.decap({ recipientKey, enc: bytes(vector.ct).buffer }))).toBe(vector.ss);
    });

    test("another ciphertext or another key gives another secret", async () => {
      const [one, other] = vectors;
      const recipientKey = await kem.deserializePrivateKey(bytes(one!.sk));
      for (const at of [0, 1087, 1088, 1119]) {
        const enc = bytes(one!.ct).map((byte, i) => (i === at ? byte ^ 1 : byte));
        expect(hex(await kem.decap({ recipientKey, enc: enc.buffer }))).not.toBe(one!.ss);
      }
      expect(hex(await kem.decap({ recipientKey, enc: bytes(other!.ct).buffer }))).not.toBe(other!.ss);
    });
  });

  describe("HPKE with HKDF-SHA512 and AES-256-GCM", () => {
    const vector = JSON.parse(hpkeText) as HpkeVector;
    const kem = new DhkemP521HkdfSha512();
    const suite = new CipherSuite({ kem, kdf: new HkdfSha512(), aead: new Aes256Gcm() });
    const info = bytes(vector.info);

    test("is what the vector is for", () => {
      expect([vector.kdf_id, vector.aead_id]).toEqual([suite.kdf.id, suite.aead.id]);
    });

    test("the sender's context", async () => {
      const recipientPublicKey = await kem.deserializePublicKey(bytes(vector.pkRm));
      const ekm = {
        privateKey: await kem.deserializePrivateKey(bytes(vector.skEm)),
        publicKey: await kem.deserializePublicKey(bytes(vector.pkEm)),
      };
      const { sharedSecret } = await kem.encap({ recipientPublicKey, ekm });
      expect(hex(sharedSecret)).toBe(vector.shared_secret);
      const sender = await suite.createSenderContext({ recipientPublicKey, info, ekm });
      expect(hex(sender.enc)).toBe(vector.enc);
      for (let at = 0; at <= 256; at += 1) {
        const { pt, aad, ct } = vector.encryptions.find(({ sequence_number }) => sequence_number === at) ?? UNCHECKED;
        const sealed = await sender.seal(bytes(pt), bytes(aad));
        if (ct !== null) expect(hex(sealed)).toBe(ct);
      }
      for (const { exporter_context, L, exported_value } of vector.exports)
        expect(hex(await sender.export(bytes(exporter_context), L))).toBe(exported_value);
    });

    test("the recipient's context", async () => {
      const recipientKey = await kem.deserializePrivateKey(bytes(vector.skRm));
      const recipient = await suite.createRecipientContext({ recipientKey, info, enc: bytes(vector.enc) });
      for (const { sequence_number, pt, aad, ct } of vector.encryptions.slice(0, 3)) {
        expect([sequence_number, hex(await recipient.open(bytes(ct), bytes(aad)))]).toEqual([sequence_number, pt]);
      }
      await expect(
        recipient.open(bytes(vector.encryptions[0]!.ct), bytes(vector.encryptions[0]!.aad)),
      ).rejects.toThrow();
      for (const { exporter_context, L, exported_value } of vector.exports)
        expect(hex(await recipient.export(bytes(exporter_context), L))).toBe(exported_value);
    });
  });
}

/** Sealed only to get to the next sequence number that the vector knows. */
const UNCHECKED = { pt: "", aad: "", ct: null };
