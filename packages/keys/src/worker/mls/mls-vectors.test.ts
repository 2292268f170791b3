import { verify as verifyWithNode } from "node:crypto";
import {
  Aes128Gcm,
  Aes256Gcm,
  CipherSuite,
  DhkemP256HkdfSha256,
  DhkemP384HkdfSha384,
  DhkemP521HkdfSha512,
  DhkemX448HkdfSha512,
  DhkemX25519HkdfSha256,
  HkdfSha256,
  HkdfSha384,
  HkdfSha512,
} from "@hpke/core";
import { fromHex, toBase64url, toHex } from "@sealcast/bytes";
import type { CiphersuiteImpl, KeyPackage, Signature, Welcome } from "ts-mls";
import type { Decoder } from "ts-mls/codec/tlsDecoder.js";
import type { Encoder } from "ts-mls/codec/tlsEncoder.js";
import { decodeCommit, encodeCommit } from "ts-mls/commit.js";
import { getCiphersuiteFromId } from "ts-mls/crypto/ciphersuite.js";
import { makeHashImpl } from "ts-mls/crypto/implementation/default/makeHashImpl.js";
import { makeKdfImpl } from "ts-mls/crypto/implementation/default/makeKdfImpl.js";
import { makeGenericHpke } from "ts-mls/crypto/implementation/hpke.js";
import { encodeGroupContext } from "ts-mls/groupContext.js";
import { verifyGroupInfoConfirmationTag, verifyGroupInfoSignature } from "ts-mls/groupInfo.js";
import { decodeGroupSecrets, encodeGroupSecrets } from "ts-mls/groupSecrets.js";
import { makeKeyPackageRef } from "ts-mls/keyPackage.js";
import { initializeEpoch, mlsExporter } from "ts-mls/keySchedule.js";
import { decodeMlsMessage, encodeMlsMessage } from "ts-mls/message.js";
import {
  decodeAdd,
  decodeExternalInit,
  decodeGroupContextExtensions,
  decodePSK,
  decodeReinit,
  decodeRemove,
  decodeUpdate,
  encodeAdd,
  encodeExternalInit,
  encodeGroupContextExtensions,
  encodePSK,
  encodeReinit,
  encodeRemove,
  encodeUpdate,
} from "ts-mls/proposal.js";
import { decodeRatchetTree, encodeRatchetTree } from "ts-mls/ratchetTree.js";
import { decryptGroupInfo, decryptGroupSecrets } from "ts-mls/welcome.js";
import { describe, expect, test } from "vitest";
import keyScheduleText from "../../../vectors/mls/key-schedule.json?raw";
import messagesText from "../../../vectors/mls/messages.json?raw";
import welcomeText from "../../../vectors/mls/welcome.json?raw";
import { mlsSuite } from "./suite.ts";

// The MLS working group's own vectors, through the parts of ts-mls that the group is built of. They know nothing of X-Wing:
// hash, KDF and HPKE are assembled for their suites as suite.ts does it for ours; ours is in frozen.cases.ts.

type SuiteId = 1 | 2 | 3 | 4 | 5 | 6 | 7;

interface KeyScheduleVector {
  cipher_suite: SuiteId;
  group_id: string;
  initial_init_secret: string;
  epochs: {
    tree_hash: string;
    commit_secret: string;
    psk_secret: string;
    confirmed_transcript_hash: string;
    group_context: string;
    joiner_secret: string;
    welcome_secret: string;
    init_secret: string;
    sender_data_secret: string;
    encryption_secret: string;
    exporter_secret: string;
    epoch_authenticator: string;
    external_secret: string;
    confirmation_key: string;
    membership_key: string;
    resumption_psk: string;
    external_pub: string;
    exporter: { label: string; context: string; length: number; secret: string };
  }[];
}

interface WelcomeVector {
  cipher_suite: SuiteId;
  init_priv: string;
  signer_pub: string;
  key_package: string;
  welcome: string;
}

const KEMS = {
  "DHKEM-X25519-HKDF-SHA256": DhkemX25519HkdfSha256,
  "DHKEM-P256-HKDF-SHA256": DhkemP256HkdfSha256,
  "DHKEM-X448-HKDF-SHA512": DhkemX448HkdfSha512,
  "DHKEM-P521-HKDF-SHA512": DhkemP521HkdfSha512,
  "DHKEM-P384-HKDF-SHA384": DhkemP384HkdfSha384,
} as const;
const KDFS = { "HKDF-SHA256": HkdfSha256, "HKDF-SHA384": HkdfSha384, "HKDF-SHA512": HkdfSha512 } as const;
const CURVES = { P256: "P-256", P384: "P-384", P521: "P-521" } as const;

const ours = await mlsSuite();

function bytes(hex: string): Uint8Array<ArrayBuffer> {
  const parsed = fromHex(hex);
  if (parsed === null) throw new Error(`vector holds ${hex}, which is not hex`);
  return parsed;
}

/** One of RFC 9420's suites, with the AEAD and Ed25519 of ours. */
async function suiteOf(id: SuiteId): Promise<CiphersuiteImpl> {
  const { name, hash, hpke, signature } = getCiphersuiteFromId(id);
  const Kdf = KDFS[hpke.kdf];
  const kem = new KEMS[hpke.kem as keyof typeof KEMS]();
  const aead = hpke.aead === "AES128GCM" ? new Aes128Gcm() : new Aes256Gcm();
  const { encryptAead, decryptAead } = ours.hpke;
  return {
    name,
    hash: makeHashImpl(crypto.subtle, hash),
    kdf: makeKdfImpl(new Kdf()),
    hpke: await makeGenericHpke(
      hpke,
      { encrypt: encryptAead, decrypt: decryptAead },
      new CipherSuite({ kem, kdf: new Kdf(), aead }),
    ),
    signature: signature === "Ed25519" ? ours.signature : { ...ours.signature, verify: verifier(signature, hash) },
    rng: ours.rng,
  };
}

/** ECDSA signatures are DER in MLS, which Web Crypto does not read. */
function verifier(algorithm: string, hash: string): Signature["verify"] {
  return async (publicKey, message, signature) => {
    if (algorithm === "Ed448") {
      const key = { kty: "OKP", crv: "Ed448", x: toBase64url(publicKey) };
      return verifyWithNode(null, message, { key, format: "jwk" }, signature);
    }
    const half = (publicKey.length - 1) / 2;
    const x = toBase64url(publicKey.subarray(1, 1 + half));
    const y = toBase64url(publicKey.subarray(1 + half));
    const key = { kty: "EC", crv: CURVES[algorithm as keyof typeof CURVES], x, y };
    return verifyWithNode(hash, message, { key, format: "jwk" }, signature);
  };
}

describe("key schedule", () => {
  const vectors = JSON.parse(keyScheduleText) as KeyScheduleVector[];

  test("has every suite of RFC 9420", () =>
    expect(vectors.map((vector) => vector.cipher_suite)).toEqual([1, 2, 3, 4, 5, 6, 7]));

  test.each(vectors)("suite $cipher_suite", async ({ cipher_suite, group_id, initial_init_secret, epochs }) => {
    const suite = await suiteOf(cipher_suite);
    let initSecret = bytes(initial_init_secret);
    for (const [epoch, expected] of epochs.entries()) {
      const context = {
        version: "mls10",
        cipherSuite: suite.name,
        groupId: bytes(group_id),
        epoch: BigInt(epoch),
        treeHash: bytes(expected.tree_hash),
        confirmedTranscriptHash: bytes(expected.confirmed_transcript_hash),
        extensions: [],
      } as const;
      expect(toHex(encodeGroupContext({ ...context, extensions: [] }))).toBe(expected.group_context);
      const { joinerSecret, welcomeSecret, encryptionSecret, keySchedule } = await initializeEpoch(
        initSecret,
        bytes(expected.commit_secret),
        { ...context, extensions: [] },
        bytes(expected.psk_secret),
        suite.kdf,
      );
      expect({
        joiner_secret: toHex(joinerSecret),
        welcome_secret: toHex(welcomeSecret),
        encryption_secret: toHex(encryptionSecret),
        init_secret: toHex(keySchedule.initSecret),
        sender_data_secret: toHex(keySchedule.senderDataSecret),
        exporter_secret: toHex(keySchedule.exporterSecret),
        epoch_authenticator: toHex(keySchedule.epochAuthenticator),
        external_secret: toHex(keySchedule.externalSecret),
        confirmation_key: toHex(keySchedule.confirmationKey),
        membership_key: toHex(keySchedule.membershipKey),
        resumption_psk: toHex(keySchedule.resumptionPsk),
      }).toEqual(Object.fromEntries(Object.entries(expected).filter(([name]) => COMPUTED.has(name))));
      const external = await suite.hpke.deriveKeyPair(keySchedule.externalSecret);
      expect(toHex(await suite.hpke.exportPublicKey(external.publicKey))).toBe(expected.external_pub);
      const { label, context: exporterContext, length, secret } = expected.exporter;
      const exported = await mlsExporter(keySchedule.exporterSecret, label, bytes(exporterContext), length, suite);
      expect(toHex(exported)).toBe(secret);
      initSecret = bytes(expected.init_secret);
    }
    expect(epochs.length).toBeGreaterThan(4);
  });
});

const COMPUTED = new Set([
  "joiner_secret",
  "welcome_secret",
  "encryption_secret",
  "init_secret",
  "sender_data_secret",
  "exporter_secret",
  "epoch_authenticator",
  "external_secret",
  "confirmation_key",
  "membership_key",
  "resumption_psk",
]);

describe("welcome", () => {
  const vectors = JSON.parse(welcomeText) as WelcomeVector[];
  const isChaCha = ({ cipher_suite }: WelcomeVector): boolean => cipher_suite === 3 || cipher_suite === 6;

  // No ChaCha20-Poly1305 in Web Crypto, nor in this project's HPKE: it has no use for it.
  test("has every suite of RFC 9420 but for the two with ChaCha20-Poly1305", () => {
    expect(vectors.filter((vector) => !isChaCha(vector)).map((vector) => vector.cipher_suite)).toEqual([1, 2, 4, 5, 7]);
  });

  test.each(vectors.filter((vector) => !isChaCha(vector)))("suite $cipher_suite", async (vector) => {
    const suite = await suiteOf(vector.cipher_suite);
    const { keyPackage, welcome } = parse(vector);
    const reference = await makeKeyPackageRef(keyPackage, suite.hash);
    const initKey = await suite.hpke.importPrivateKey(bytes(vector.init_priv));
    const secrets = await decryptGroupSecrets(initKey, reference, welcome, suite.hpke);
    if (secrets === undefined) throw new Error("no group secrets");
    expect(secrets.psks).toEqual([]);
    const noPsk = new Uint8Array(suite.kdf.size);
    const info = await decryptGroupInfo(welcome, secrets.joinerSecret, noPsk, suite);
    if (info === undefined) throw new Error("no group info");
    const signer = bytes(vector.signer_pub);
    expect(await verifyGroupInfoSignature(info, signer, suite.signature)).toBe(true);
    expect(await verifyGroupInfoConfirmationTag(info, secrets.joinerSecret, noPsk, suite)).toBe(true);
    const other = { ...info, groupContext: { ...info.groupContext, epoch: info.groupContext.epoch + 1n } };
    expect(await verifyGroupInfoSignature(other, signer, suite.signature)).toBe(false);
    expect(await verifyGroupInfoConfirmationTag(other, secrets.joinerSecret, noPsk, suite)).toBe(false);
  });
});

function parse(vector: WelcomeVector): { keyPackage: KeyPackage; welcome: Welcome } {
  const [first] = decodeMlsMessage(bytes(vector.key_package), 0) ?? [];
  const [second] = decodeMlsMessage(bytes(vector.welcome), 0) ?? [];
  if (first?.wireformat !== "mls_key_package" || second?.wireformat !== "mls_welcome")
    throw new Error("other messages");
  return { keyPackage: first.keyPackage, welcome: second.welcome };
}

/** How to read and write each structure of a vector. */
const message = codec(decodeMlsMessage, encodeMlsMessage);
const CODECS: Record<string, (encoded: Uint8Array) => Uint8Array> = {
  mls_welcome: message,
  mls_group_info: message,
  mls_key_package: message,
  public_message_application: message,
  public_message_proposal: message,
  public_message_commit: message,
  private_message: message,
  ratchet_tree: codec(decodeRatchetTree, encodeRatchetTree),
  group_secrets: codec(decodeGroupSecrets, encodeGroupSecrets),
  add_proposal: codec(decodeAdd, encodeAdd),
  update_proposal: codec(decodeUpdate, encodeUpdate),
  remove_proposal: codec(decodeRemove, encodeRemove),
  pre_shared_key_proposal: codec(decodePSK, encodePSK),
  re_init_proposal: codec(decodeReinit, encodeReinit),
  external_init_proposal: codec(decodeExternalInit, encodeExternalInit),
  group_context_extensions_proposal: codec(decodeGroupContextExtensions, encodeGroupContextExtensions),
  commit: codec(decodeCommit, encodeCommit),
};

/** Decodes all of it and encodes it again. */
function codec<T>(decode: Decoder<T>, encode: Encoder<T>): (encoded: Uint8Array) => Uint8Array {
  return (encoded) => {
    const [value, length] = decode(encoded, 0) ?? [];
    if (value === undefined || length !== encoded.length) throw new Error("not decoded");
    return encode(value);
  };
}

describe("messages", () => {
  const vectors = JSON.parse(messagesText) as Record<string, string>[];

  test("each has one of every structure", () => {
    expect(vectors).toHaveLength(25);
    for (const vector of vectors) expect(Object.keys(vector).sort()).toEqual(Object.keys(CODECS).sort());
  });

  test.each(Object.keys(CODECS))("%s is decoded, and encoded to the same bytes", (name) => {
    for (const vector of vectors) expect(toHex(CODECS[name]!(bytes(vector[name] ?? "")))).toBe(vector[name]);
  });
});
