import {
  concat,
  constant,
  equal,
  flag,
  fromHex,
  type Infer,
  opaque,
  safeUint64,
  struct,
  u16,
  utf8,
} from "@sealcast/bytes";
import type { GroupMember } from "../../shared/messages.ts";
import { CREDENTIAL_SIZE } from "../identity/credential.ts";
import { verifyEd25519 } from "../identity/ed25519.ts";

const claims = struct({
  version: constant(1),
  /** The sender has a socket to the server: a change that is ordered should reach it. */
  connected: flag,
  epoch: safeUint64,
  /** Milliseconds on a clock of the sender's own that only moves forward. */
  time: safeUint64,
  /** SHA-512's size, as the suite has it (RFC 9420 section 8.7). */
  authenticator: opaque(64),
  /** SHA-256 of everybody's leaf, identity, seat and leaf key: hashRoster. */
  roster: opaque(32),
  /** The signature key of the sender's leaf. */
  leafKey: opaque(32),
  credential: opaque(CREDENTIAL_SIZE),
});
/** The signature is by the leaf key. */
const signedClaims = struct({ claims, signature: opaque(64) });

/** Where a member says that it is, and when. */
export type Heartbeat = Infer<typeof claims>;
/** One epoch of one branch of the group, as a member in it sees it. */
export type GroupPosition = Pick<Heartbeat, "epoch" | "authenticator" | "roster">;

/** Outside MLS: members of two branches could not read each other. */
export async function encodeHeartbeat(
  room: string,
  beat: Heartbeat,
  sign: (message: Uint8Array) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  return signedClaims.encode({ claims: beat, signature: await sign(signedMessage(room, beat)) });
}

/** Null: malformed. Says nothing about the signature. */
export function parseHeartbeat(bytes: Uint8Array): Heartbeat | null {
  return signedClaims.parse(bytes)?.claims ?? null;
}

/** Whether the leaf key in it signed it, for this room. Whose key that is, is another question. */
export async function verifyHeartbeat(room: string, bytes: Uint8Array, beat: Heartbeat): Promise<boolean> {
  const signed = signedClaims.parse(bytes);
  return signed !== null && (await verifyEd25519(beat.leafKey, signedMessage(room, signed.claims), signed.signature));
}

/** SHA-256 over each member, in the order of the leaves: `leaf (1) | identity (32) | seat (16) | leaf key (32)`. */
export async function hashRoster(members: readonly GroupMember[]): Promise<Uint8Array> {
  const lines = members.map(({ leaf, identity, seat, leafKeyId }) =>
    concat(Uint8Array.of(leaf), hex(identity + seat + leafKeyId)),
  );
  return new Uint8Array(await crypto.subtle.digest("SHA-256", concat(...lines)));
}

/** Whether two members' words, of one epoch, are of one group. */
export function samePlace(a: GroupPosition, b: GroupPosition): boolean {
  return equal(a.authenticator, b.authenticator) && equal(a.roster, b.roster);
}

function hex(text: string): Uint8Array {
  const bytes = fromHex(text);
  if (bytes === null) throw new Error("not hex");
  return bytes;
}

/** The label keeps it apart from all that MLS signs with this key: that begins with a length and "MLS 1.0 ". */
function signedMessage(room: string, beat: Heartbeat): Uint8Array {
  const name = utf8(room);
  return concat(utf8("Sealcast heartbeat\0"), u16(name.length), name, claims.encode(beat));
}
