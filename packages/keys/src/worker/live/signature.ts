import { concat, equal } from "@sealcast/bytes";
import { hostFingerprint } from "../../shared/live-link.ts";
import { verifyEd25519 } from "../identity/ed25519.ts";
import type { Identity } from "../identity/identity.ts";

const IDENTITY_SIZE = 32;
export const SIGNED_SIZE = IDENTITY_SIZE + 64;

/** `identity (32) | signature (64)`: links carry the identity's fingerprint only. */
export async function signAsHost(identity: Identity, message: Uint8Array): Promise<Uint8Array> {
  return concat(identity.publicKey, await identity.sign(message));
}

/** Whether `signed` is what the host with this fingerprint, and nobody else, makes of this message. */
export async function isSignedByHost(host: Uint8Array, message: Uint8Array, signed: Uint8Array): Promise<boolean> {
  const [identity, signature] = [signed.subarray(0, IDENTITY_SIZE), signed.subarray(IDENTITY_SIZE)];
  return equal(await hostFingerprint(identity), host) && (await verifyEd25519(identity, message, signature));
}
