import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { type KnockKey, PROTOCOL_VERSION } from "@sealcast/protocol";

const LABEL = Buffer.from("Sealcast door\0");
const NODE_LABEL = Buffer.from("Sealcast node\0");
const LIVE_ROOM_LABEL = Buffer.from("Sealcast live room\0");
/** 128 bits: a second key for a room's name costs 2^128. */
const ROOM_SIZE = 16;

/**
 * [Note: Proof of a door] A link yields an Ed25519 key pair. Its public half, the door, names a room to the server; who has the
 * link proves that by a signature with the private half, and the server never sees the link. The signature is over
 *
 *     "Sealcast door" 00 (14) | version (1) | role (1) | length of host (2) | host | door (32) | nonce (32)
 *
 * - nonce: random, sent by the server as the first message on each socket. A recorded signature is worth nothing on another.
 * - host: the request's `Host` header. A server that a page is led to cannot use the page's signature at another server.
 * - role: what the signature is for. One made to listen at a door cannot replace a room's door.
 * - A signature is checked after the address's limits, since a check takes the server's CPU time.
 */

/** What a signature is for (see [Note: Proof of a door]). */
export const role = { join: 1, listen: 2, later: 3, watch: 4, host: 5 } as const;

export interface DoorClaim {
  /** Ed25519 public key, 32 bytes in base64url. */
  readonly door: string;
  /** 64 bytes in base64url. */
  readonly signature: string;
  readonly role: (typeof role)[keyof typeof role];
}

/** What a socket's signatures are over, besides the door and its use. */
export interface SocketChallenge {
  /** The `Host` header of the socket's request, in lower case. */
  readonly host: string;
  /** 32 bytes in base64url, random, of one socket. */
  readonly nonce: string;
}

/** Whether the door's private key made this signature, for this use, over this socket's challenge. Never throws. */
export function isSignedByDoor({ door, signature, role }: DoorClaim, challenge: SocketChallenge): boolean {
  return verify(null, signedByDoor({ door, role }, challenge), keyOf(door), Buffer.from(signature, "base64url"));
}

/** Of the doors that were looked at last: many come by one. */
const keys = new Map<string, KeyObject>();
const MAX_KEYS = 1_000;

function keyOf(door: string): KeyObject {
  const known = keys.get(door);
  if (known) return known;
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: door }, format: "jwk" });
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(door, key);
  return key;
}

/** The message that a door signs (PROTOCOL.md section 3.5). */
export function signedByDoor(
  { door, role }: Omit<DoorClaim, "signature">,
  { host, nonce }: SocketChallenge,
): Uint8Array {
  const name = Buffer.from(host);
  const numbers = Buffer.from([PROTOCOL_VERSION, role, name.length >> 8, name.length & 0xff]);
  return Buffer.concat([LABEL, numbers, name, Buffer.from(door, "base64url"), Buffer.from(nonce, "base64url")]);
}

/** The node that a token proves: its hash, both 32 bytes in base64url. */
export function nodeOf(token: string): string {
  return createHash("sha256").update(NODE_LABEL).update(token, "base64url").digest("base64url");
}

/** Names a knock key with its tags: its hash, 32 bytes in base64url. */
export function fingerprintOf({ key, tags }: KnockKey): string {
  return createHash("sha256")
    .update([key, ...tags].join("."))
    .digest("base64url");
}

/** The live room of the host with this key, 32 bytes in base64url: the beginning of its hash. */
export function liveRoomOf(hostKey: string): string {
  const hash = createHash("sha512").update(LIVE_ROOM_LABEL).update(hostKey, "base64url").digest();
  return hash.subarray(0, ROOM_SIZE).toString("base64url");
}
