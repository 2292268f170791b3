import { concat, fromBase64url, toBase64url, u16, utf8 } from "@sealcast/bytes";
import { hkdf, sign } from "@sealcast/crypto";
import type { PROTOCOL_VERSION } from "@sealcast/protocol";
import type { DoorProof } from "../../shared/messages.ts";

/** That of the wire (PROTOCOL.md section 3.5), by its type alone: the protocol's schemas are no part of this worker. */
const VERSION: typeof PROTOCOL_VERSION = 10;
/** An Ed25519 private key of 32 bytes as PKCS #8 (RFC 8410) begins with these. */
const PKCS8_HEAD = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

/** What a signature at the server is for. */
const ROLES = { join: 1, listen: 2, replace: 3, watch: 4, host: 5 } as const;

/** One socket's question (PROTOCOL.md 3.1), and the server that asks: a signature holds for no other. */
export interface Challenge {
  /** 32 bytes in base64url. */
  readonly nonce: string;
  /** The server's name as the page's address has it, with its port, in lower case. */
  readonly host: string;
}

/**
 * The key pair that a link's secret yields, or a live host's own key. Its public half is the door under which a server knows
 * the room (PROTOCOL.md 3.1, 8.2). A signature by the private half shows that its maker has the link, or is the host.
 */
export class DoorKey {
  /** The public half, base64url. */
  readonly door: string;
  readonly #key: CryptoKey;

  private constructor(door: string, key: CryptoKey) {
    this.door = door;
    this.#key = key;
  }

  static async of(linkSecret: Uint8Array, room: string): Promise<DoorKey> {
    return DoorKey.#from(await hkdf(linkSecret, `door ${room}`, 32));
  }

  /** Of the key that a live host's browser keeps for one room. */
  static async ofHost(hostKey: Uint8Array): Promise<DoorKey> {
    return DoorKey.#from(await hkdf(hostKey, "live host door", 32));
  }

  /** Erases the seed. */
  static async #from(seed: Uint8Array): Promise<DoorKey> {
    const pkcs8 = concat(PKCS8_HEAD, seed);
    const readable = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
    const { x: door = "" } = await crypto.subtle.exportKey("jwk", readable);
    const key = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
    for (const spent of [seed, pkcs8]) spent.fill(0);
    return new DoorKey(door, key);
  }

  async prove(role: keyof typeof ROLES, { nonce, host }: Challenge): Promise<DoorProof> {
    const name = utf8(host);
    const [door, asked] = [fromBase64url(this.door), fromBase64url(nonce)];
    if (door === null || asked === null) throw new Error("a door or a nonce that is not base64url");
    const head = concat(utf8("Sealcast door\0"), Uint8Array.of(VERSION, ROLES[role]), u16(name.length));
    return { door: this.door, signature: toBase64url(await sign(this.#key, concat(head, name, door, asked))) };
  }
}
