import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type BandwidthRequest, burst, type NodeCipher, type PacketCipher, paced, packetsOf } from "./bandwidth.ts";

/**
 * A process of its own, started with --openssl-legacy-provider by openssl.ts: OpenSSL has DES and RC4 only then. Answers
 * each request with its figures.
 */

const TAG = 16;

/** Each with fresh keys. */
const make: Record<NodeCipher, () => PacketCipher> = {
  Blank: () => ({ seal: (_number, packet) => packet.slice(), open: (_number, sealed) => sealed.slice() }),
  "AES-256-GCM": () => aesGcm("aes-256-gcm", randomBytes(32)),
  "AES-128-GCM": () => aesGcm("aes-128-gcm", randomBytes(16)),
  "DES-CBC (broken)": () => desCbc(randomBytes(8)),
  "RC4 (broken)": () => rc4(randomBytes(16)),
};

process.on("message", (request: BandwidthRequest<NodeCipher>) => void answer(request));

async function answer(request: BandwidthRequest<NodeCipher>): Promise<void> {
  if (request.load === "frames") throw new Error("frames are sealed in the page only");
  const packets = packetsOf(request.load);
  const { cipher } = request;
  if (request.type === "burst") return send(await burst(request, packets, async () => make[cipher]()));
  const { seal } = make[cipher]();
  send(await paced(request, packets, seal));
}

function send(figures: object): void {
  process.send?.(figures);
}

function aesGcm(name: "aes-256-gcm" | "aes-128-gcm", key: Buffer): PacketCipher {
  return {
    seal(number, packet) {
      const cipher = createCipheriv(name, key, counter(12, number));
      const sealed = cipher.update(packet);
      cipher.final();
      return Buffer.concat([sealed, cipher.getAuthTag()]);
    },
    open(number, sealed) {
      const decipher = createDecipheriv(name, key, counter(12, number));
      decipher.setAuthTag(sealed.subarray(-TAG));
      const packet = decipher.update(sealed.subarray(0, -TAG));
      decipher.final();
      return packet;
    },
  };
}

/** 56 bits of key, and nothing that authenticates. */
function desCbc(key: Buffer): PacketCipher {
  return {
    seal(number, packet) {
      const cipher = createCipheriv("des-cbc", key, counter(8, number));
      return Buffer.concat([cipher.update(packet), cipher.final()]);
    },
    open(number, sealed) {
      const decipher = createDecipheriv("des-cbc", key, counter(8, number));
      return Buffer.concat([decipher.update(sealed), decipher.final()]);
    },
  };
}

/** 128 bits of key, of which each packet changes the first 32: packets get lost, so no keystream can go on over them. */
function rc4(secret: Buffer): PacketCipher {
  const crypt = (number: number, bytes: Uint8Array) => {
    const key = Buffer.from(secret);
    key.writeUInt32BE(number);
    return createCipheriv("rc4", key, null).update(bytes);
  };
  return { seal: crypt, open: crypt };
}

/** The number, in the last bytes of an array of this length. */
function counter(bytes: number, number: number): Buffer {
  const counter = Buffer.alloc(bytes);
  counter.writeUInt32BE(number, bytes - 4);
  return counter;
}
