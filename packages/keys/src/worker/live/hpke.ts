import { Aes256Gcm, CipherSuite, HkdfSha512 } from "@hpke/core";
import { XWing } from "@hpke/hybridkem-x-wing";
import { concat, utf8 } from "@sealcast/bytes";

/** HPKE (RFC 9180) with X-Wing, HKDF-SHA-512 and AES-256-GCM; only ever in PSK mode. */
const suite = new CipherSuite({ kem: new XWing(), kdf: new HkdfSha512(), aead: new Aes256Gcm() });

export const ENC_SIZE = 1120;

/** A pre-shared key and its name: a link's or a resume secret. */
export interface Psk {
  id: Uint8Array;
  key: Uint8Array;
}

/** One end of an HPKE context: seals or opens in order, and exports. */
export interface Hpke {
  /** Null: it did not open. */
  next(aad: Uint8Array, bytes: Uint8Array): Promise<Uint8Array | null>;
  export(label: string): Promise<Uint8Array<ArrayBuffer>>;
}

export async function newViewerKey(): Promise<{ publicKey: Uint8Array; privateKey: CryptoKey }> {
  const { publicKey, privateKey } = await suite.kem.generateKeyPair();
  return { publicKey: new Uint8Array(await suite.kem.serializePublicKey(publicKey)), privateKey };
}

/** The host's end. Null: no key of X-Wing. */
export async function hpkeTo(
  viewerKey: Uint8Array,
  room: string,
  psk: Psk,
): Promise<{ enc: Uint8Array; hpke: Hpke } | null> {
  try {
    const recipientPublicKey = await suite.kem.deserializePublicKey(new Uint8Array(viewerKey));
    const context = await suite.createSenderContext({ recipientPublicKey, info: infoOf(room), psk: unshared(psk) });
    return {
      enc: new Uint8Array(context.enc),
      hpke: {
        next: async (aad, bytes) => new Uint8Array(await context.seal(new Uint8Array(bytes), new Uint8Array(aad))),
        export: (label) => exported(context, label),
      },
    };
  } catch {
    return null;
  }
}

/** The viewer's end. Null: `enc` is none. */
export async function hpkeFrom(privateKey: CryptoKey, enc: Uint8Array, room: string, psk: Psk): Promise<Hpke | null> {
  try {
    const parameters = { recipientKey: privateKey, enc: new Uint8Array(enc), info: infoOf(room), psk: unshared(psk) };
    const context = await suite.createRecipientContext(parameters);
    return {
      next: (aad, bytes) =>
        context.open(new Uint8Array(bytes), new Uint8Array(aad)).then(
          (opened) => new Uint8Array(opened),
          () => null,
        ),
      export: (label) => exported(context, label),
    };
  } catch {
    return null;
  }
}

async function exported(
  context: { export(label: Uint8Array, length: number): Promise<ArrayBuffer> },
  label: string,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await context.export(utf8(label), 32));
}

const infoOf = (room: string): Uint8Array<ArrayBuffer> => concat(utf8("Sealcast live\0"), utf8(room));
const unshared = ({ id, key }: Psk) => ({ id: new Uint8Array(id), key: new Uint8Array(key) });
