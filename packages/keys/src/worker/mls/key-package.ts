import { toHex } from "@sealcast/bytes";
import type { Secret } from "@sealcast/crypto";
import type { Capabilities, CiphersuiteImpl, KeyPackage } from "ts-mls";
import { decodeKeyPackage, generateKeyPackageWithKey, verifyKeyPackage } from "ts-mls/keyPackage.js";
import { verifyLeafNodeSignatureKeyPackage } from "ts-mls/leafNode.js";
import type { LayerCount } from "../../shared/link.ts";
import { issueCredential, verifyCredential } from "../identity/credential.ts";
import type { Identity } from "../identity/identity.ts";
import { encodeName, NAME_EXTENSION, nameOf } from "../identity/leaf-name.ts";
import { canSealTo } from "./kem-key.ts";
import { NEW_LINK, ROOM_EXTENSION } from "./room-state.ts";
import { claimsOf, isAddable } from "./rules.ts";
import { SUITE_NAME } from "./suite.ts";
import type { OwnKeyPackage } from "./welcome.ts";

/** How far a credential reaches to both sides of now: a device's wrong clock must not split the group. */
const VALIDITY_SECONDS = 24n * 60n * 60n;
const CAPABILITIES: Capabilities = {
  versions: ["mls10"],
  ciphersuites: [SUITE_NAME],
  extensions: [ROOM_EXTENSION, NAME_EXTENSION],
  proposals: [Number(NEW_LINK.proposalType)],
  credentials: ["basic"],
};

/** Who this member is, and what admits it. */
export interface Membership {
  readonly suite: CiphersuiteImpl;
  readonly identity: Identity;
  readonly room: string;
  /** The server's name and port, in lower case: a proof of the link holds for no other. */
  readonly host: string;
  readonly seat: Uint8Array;
  /** What this person calls themselves, as isLeafName has it. May change during a call. */
  name: string;
  /** Another one after every removal by a host. */
  linkSecret: Secret;
  /** How many layers the room's frames are sealed in. */
  readonly layers: LayerCount;
  /** Wall clock, seconds since 1970. */
  readonly seconds: () => bigint;
}

/** Someone who can be added: everything that the key package says was verified. */
export interface Applicant {
  readonly keyPackage: KeyPackage;
  /** Identity and seat, hex: equal for all key packages of one tab. */
  readonly seat: string;
  /** Hex. */
  readonly identity: string;
  /** What they call themselves: nothing vouches for it. */
  readonly name: string;
}

/** A fresh key package with keys and a credential of its own. */
export async function makeKeyPackage(membership: Membership): Promise<OwnKeyPackage> {
  const { suite, identity, room, seat, name, seconds } = membership;
  const validity = { notBefore: seconds() - VALIDITY_SECONDS, notAfter: seconds() + VALIDITY_SECONDS };
  const keys = await suite.signature.keygen();
  const claims = await issueCredential(identity, { room, leafKey: keys.publicKey }, seat, validity);
  const credential = { credentialType: "basic", identity: claims } as const;
  return generateKeyPackageWithKey(credential, CAPABILITIES, validity, [], keys, suite, [encodeName(name)]);
}

/** Whom an encoded key package is of. Null: malformed, or not acceptable in this room now. */
export async function readApplication(membership: Membership, encoded: Uint8Array): Promise<Applicant | null> {
  const { suite, room } = membership;
  try {
    const [keyPackage, length] = decodeKeyPackage(encoded, 0) ?? [];
    if (keyPackage === undefined || length !== encoded.length) return null;
    const { leafNode } = keyPackage;
    const [claims, name] = [claimsOf(leafNode.credential), nameOf(leafNode)];
    if (leafNode.leafNodeSource !== "key_package" || leafNode.credential.credentialType !== "basic") return null;
    const sound =
      claims !== null &&
      name !== null &&
      keyPackage.cipherSuite === SUITE_NAME &&
      isAddable(keyPackage, membership.seconds()) &&
      (await verifyKeyPackage(keyPackage, suite.signature)) &&
      (await verifyLeafNodeSignatureKeyPackage({ ...leafNode, leafNodeSource: "key_package" }, suite.signature)) &&
      (await verifyCredential({ room, leafKey: leafNode.signaturePublicKey }, leafNode.credential.identity)) &&
      (await canSealTo([keyPackage.initKey, leafNode.hpkePublicKey], suite));
    if (!sound) return null;
    const identity = toHex(claims.identity);
    return { keyPackage, seat: identity + toHex(claims.seat), identity, name };
  } catch {
    return null;
  }
}
