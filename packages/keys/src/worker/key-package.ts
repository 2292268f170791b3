import { Cursor, concat, toHex, u16, utf8 } from "@sealcast/bytes";
import type { Secret } from "@sealcast/crypto";
import type { Capabilities, CiphersuiteImpl, KeyPackage } from "ts-mls";
import { decodeKeyPackage, encodeKeyPackage, generateKeyPackageWithKey, verifyKeyPackage } from "ts-mls/keyPackage.js";
import { verifyLeafNodeSignatureKeyPackage } from "ts-mls/leafNode.js";
import type { LayerCount } from "../shared/link.ts";
import { issueCredential, verifyCredential } from "./credential.ts";
import type { Identity } from "./identity.ts";
import { NEW_LINK, ROOM_EXTENSION } from "./room-state.ts";
import { claimsOf, isAddable } from "./rules.ts";
import { SUITE_NAME } from "./suite.ts";
import type { OwnKeyPackage } from "./welcome.ts";

/** How far a credential reaches to both sides of now: a device's wrong clock must not split the group. */
const VALIDITY_SECONDS = 24n * 60n * 60n;
const CAPABILITIES: Capabilities = {
  versions: ["mls10"],
  ciphersuites: [SUITE_NAME],
  extensions: [ROOM_EXTENSION],
  proposals: [Number(NEW_LINK.proposalType)],
  credentials: ["basic"],
};

/** Letters of a name, as JavaScript counts them. */
const MAX_NAME = 64;

/** Who this member is, and what admits it. */
export interface Membership {
  readonly suite: CiphersuiteImpl;
  readonly identity: Identity;
  readonly room: string;
  /** The server's name and port, in lower case: a proof of the link holds for no other. */
  readonly host: string;
  readonly seat: Uint8Array;
  /** Another one after every removal by the creator. */
  linkSecret: Secret;
  /** How many layers the room's frames are sealed in. */
  readonly layers: LayerCount;
  /** Wall clock, seconds since 1970. */
  readonly seconds: () => bigint;
}

/** Somebody who can be added: everything that the key package says was verified. */
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
export async function makeKeyPackage({ suite, identity, room, seat, seconds }: Membership): Promise<OwnKeyPackage> {
  const validity = { notBefore: seconds() - VALIDITY_SECONDS, notAfter: seconds() + VALIDITY_SECONDS };
  const keys = await suite.signature.keygen();
  const claims = await issueCredential(identity, { room, leafKey: keys.publicKey }, seat, validity);
  const credential = { credentialType: "basic", identity: claims } as const;
  return generateKeyPackageWithKey(credential, CAPABILITIES, validity, [], keys, suite);
}

/** `name length (2) | name | key package` */
export function encodeApplication({ publicPackage }: OwnKeyPackage, name: string): Uint8Array {
  const bytes = utf8(name);
  return concat(u16(bytes.length), bytes, encodeKeyPackage(publicPackage));
}

/** Null: malformed, or not acceptable in this room now. */
export async function readApplication(membership: Membership, bytes: Uint8Array): Promise<Applicant | null> {
  const { suite, room } = membership;
  try {
    const cursor = new Cursor(bytes);
    const name = new TextDecoder("utf-8", { fatal: true }).decode(cursor.bytes(cursor.u16()));
    const encoded = cursor.rest();
    const [keyPackage, length] = decodeKeyPackage(encoded, 0) ?? [];
    if (name.length > MAX_NAME || keyPackage === undefined || length !== encoded.length) return null;
    const { leafNode } = keyPackage;
    const claims = claimsOf(leafNode.credential);
    if (leafNode.leafNodeSource !== "key_package" || leafNode.credential.credentialType !== "basic") return null;
    const sound =
      claims !== null &&
      keyPackage.cipherSuite === SUITE_NAME &&
      isAddable(keyPackage, membership.seconds()) &&
      (await verifyKeyPackage(keyPackage, suite.signature)) &&
      (await verifyLeafNodeSignatureKeyPackage({ ...leafNode, leafNodeSource: "key_package" }, suite.signature)) &&
      (await verifyCredential({ room, leafKey: leafNode.signaturePublicKey }, leafNode.credential.identity));
    if (!sound) return null;
    const identity = toHex(claims.identity);
    return { keyPackage, seat: identity + toHex(claims.seat), identity, name };
  } catch {
    return null;
  }
}
