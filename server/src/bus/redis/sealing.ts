import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";

const CIPHER = "aes-256-gcm";
const TAG_SIZE = 16;
const SEQ_SIZE = 8;
/** Of a node's name: 128 bits in base64url. */
const NODE_SIZE = 22;
/** Largest message between two nodes, in bytes. */
const MAX_SIZE = 8 * 1024 * 1024;

/** A message between two nodes as it came: not judged yet. */
export interface Envelope {
  readonly from: string;
  readonly seq: number;
  readonly sealed: Buffer;
}

/** Seals what one node sends another, numbered from 0. The key holds for these two nodes, each of which has its name once. */
export class Sealing {
  readonly #key: Buffer;
  readonly #from: string;

  constructor(secret: Buffer, from: string, to: string) {
    this.#key = Buffer.from(hkdfSync("sha256", secret, "", `Sealcast bus ${from} ${to}`, 32));
    this.#from = from;
  }

  seal(seq: number, text: string): Buffer {
    const cipher = createCipheriv(CIPHER, this.#key, nonceOf(seq));
    const sealed = [cipher.update(text, "utf8"), cipher.final()];
    return Buffer.concat([Buffer.from(this.#from), nonceOf(seq).subarray(-SEQ_SIZE), ...sealed, cipher.getAuthTag()]);
  }

  /** Null where nobody who has the secret sealed it under this number. */
  open({ seq, sealed }: Envelope): string | null {
    const decipher = createDecipheriv(CIPHER, this.#key, nonceOf(seq), { authTagLength: TAG_SIZE });
    decipher.setAuthTag(sealed.subarray(-TAG_SIZE));
    const opened = decipher.update(sealed.subarray(0, -TAG_SIZE));
    try {
      return Buffer.concat([opened, decipher.final()]).toString();
    } catch {
      return null;
    }
  }
}

/** Null for what no node sends. */
export function envelopeOf(bytes: Buffer): Envelope | null {
  if (bytes.length < NODE_SIZE + SEQ_SIZE + TAG_SIZE || bytes.length > MAX_SIZE) return null;
  const seq = bytes.readBigUInt64BE(NODE_SIZE);
  if (seq > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  const from = bytes.toString("latin1", 0, NODE_SIZE);
  return { from, seq: Number(seq), sealed: bytes.subarray(NODE_SIZE + SEQ_SIZE) };
}

/** What the store knows a room by: nobody without the secret finds it from a door, or a door from it. */
export const hiddenName = (secret: Buffer, name: string): string =>
  createHmac("sha256", secret).update("Sealcast name\0").update(name).digest().subarray(0, 16).toString("base64url");

function nonceOf(seq: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(seq), 12 - SEQ_SIZE);
  return nonce;
}
