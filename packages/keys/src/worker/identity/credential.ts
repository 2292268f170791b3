import { Cursor, concat, equal, u16, u64, utf8 } from "@sealcast/bytes";
import { verifyEd25519 } from "./ed25519.ts";
import type { Identity } from "./identity.ts";

const VERSION = 1;
export const CREDENTIAL_SIZE = 1 + 32 + 16 + 8 + 8 + 64;
const SEAT_SIZE = 16;

/** Seconds since 1970, both ends included. */
export interface Validity {
  notBefore: bigint;
  notAfter: bigint;
}

/**
 * What a leaf's MLS credential (type basic) says: which identity sits on which seat.
 * `version (1) | identity (32) | seat (16) | not before (8) | not after (8) | Ed25519 signature (64)`
 */
export interface Credential extends Validity {
  identity: Uint8Array;
  seat: Uint8Array;
}

/** What an identity vouches for: this leaf key, in this room, on this seat. */
export interface Binding {
  room: string;
  leafKey: Uint8Array;
}

export async function issueCredential(
  identity: Identity,
  binding: Binding,
  seat: Uint8Array,
  validity: Validity,
): Promise<Uint8Array> {
  const claims = { identity: identity.publicKey, seat, ...validity };
  const signature = await identity.sign(signedMessage(binding, claims));
  return concat(encodeClaims(claims), signature);
}

/** Null: malformed. Says nothing about the signature: see verifyCredential. */
export function parseCredential(bytes: Uint8Array): Credential | null {
  if (bytes.length !== CREDENTIAL_SIZE) return null;
  const cursor = new Cursor(bytes);
  if (cursor.u8() !== VERSION) return null;
  return { identity: cursor.bytes(32), seat: cursor.bytes(SEAT_SIZE), notBefore: cursor.u64(), notAfter: cursor.u64() };
}

/** Whether the identity named in the credential signed it for this room and leaf key. The validity is not looked at. */
export async function verifyCredential(binding: Binding, bytes: Uint8Array): Promise<boolean> {
  const claims = parseCredential(bytes);
  if (claims === null) return false;
  return verifyEd25519(claims.identity, signedMessage(binding, claims), bytes.subarray(CREDENTIAL_SIZE - 64));
}

export function isValidAt(validity: Validity, seconds: bigint): boolean {
  return validity.notBefore <= seconds && seconds <= validity.notAfter;
}

/** Whether both name the same identity on the same seat: the same tab of the same browser. */
export function sameSeat(a: Credential, b: Credential): boolean {
  return equal(a.identity, b.identity) && equal(a.seat, b.seat);
}

function encodeClaims(claims: Credential): Uint8Array {
  return concat(Uint8Array.of(VERSION), claims.identity, claims.seat, u64(claims.notBefore), u64(claims.notAfter));
}

function signedMessage(binding: Binding, claims: Credential): Uint8Array {
  const room = utf8(binding.room);
  return concat(utf8("Sealcast credential\0"), u16(room.length), room, binding.leafKey, encodeClaims(claims));
}
