import { concat, constant, equal, type Infer, opaque, struct, u16, uint64, utf8 } from "@sealcast/bytes";
import { verifyEd25519 } from "./ed25519.ts";
import type { Identity } from "./identity.ts";

const claims = struct({
  version: constant(1),
  identity: opaque(32),
  seat: opaque(16),
  notBefore: uint64,
  notAfter: uint64,
});
/** The signature is Ed25519. */
const signedClaims = struct({ claims, signature: opaque(64) });

export const CREDENTIAL_SIZE = signedClaims.size;

/** What a leaf's MLS credential (type basic) says: which identity sits on which seat. */
export type Credential = Infer<typeof claims>;
/** Seconds since 1970, both ends included. */
export type Validity = Pick<Credential, "notBefore" | "notAfter">;

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
  const claimed = { identity: identity.publicKey, seat, ...validity };
  return signedClaims.encode({ claims: claimed, signature: await identity.sign(signedMessage(binding, claimed)) });
}

/** Null: malformed. Says nothing about the signature: see verifyCredential. */
export function parseCredential(bytes: Uint8Array): Credential | null {
  return signedClaims.parse(bytes)?.claims ?? null;
}

/** Whether the identity named in the credential signed it for this room and leaf key. The validity is not looked at. */
export async function verifyCredential(binding: Binding, bytes: Uint8Array): Promise<boolean> {
  const signed = signedClaims.parse(bytes);
  if (signed === null) return false;
  return verifyEd25519(signed.claims.identity, signedMessage(binding, signed.claims), signed.signature);
}

export function isValidAt(validity: Validity, seconds: bigint): boolean {
  return validity.notBefore <= seconds && seconds <= validity.notAfter;
}

/** Whether both name the same identity on the same seat: the same tab of the same browser. */
export function sameSeat(a: Credential, b: Credential): boolean {
  return equal(a.identity, b.identity) && equal(a.seat, b.seat);
}

function signedMessage(binding: Binding, claimed: Credential): Uint8Array {
  const room = utf8(binding.room);
  return concat(utf8("Sealcast credential\0"), u16(room.length), room, binding.leafKey, claims.encode(claimed));
}
