import { equal, type Infer, opaque, struct } from "@sealcast/bytes";
import { hostFingerprint } from "../../shared/live-link.ts";
import { verifyEd25519 } from "../identity/ed25519.ts";
import type { Identity } from "../identity/identity.ts";

/** With the identity, since links carry its fingerprint only. */
export const hostSignature = struct({ identity: opaque(32), signature: opaque(64) });

type HostSignature = Infer<typeof hostSignature>;

export async function signAsHost(identity: Identity, message: Uint8Array): Promise<HostSignature> {
  return { identity: identity.publicKey, signature: await identity.sign(message) };
}

/** Whether the signature is what the host with this fingerprint, and nobody else, makes of this message. */
export async function isSignedByHost(
  host: Uint8Array,
  message: Uint8Array,
  { identity, signature }: HostSignature,
): Promise<boolean> {
  return equal(await hostFingerprint(identity), host) && (await verifyEd25519(identity, message, signature));
}
