import { Cursor, concat, equal, fromHex, u16, u64, utf8 } from "@sealcast/bytes";
import type { GroupMember } from "../../shared/messages.ts";
import { CREDENTIAL_SIZE } from "../identity/credential.ts";
import { verifyEd25519 } from "../identity/ed25519.ts";

const VERSION = 1;
const HASH_SIZE = 32;
const KEY_SIZE = 32;
const SIGNATURE_SIZE = 64;
/** SHA-512's, as the suite has it (RFC 9420 section 8.7). */
const AUTHENTICATOR_SIZE = 64;
const CLAIMS_SIZE = 1 + 1 + 8 + 8 + AUTHENTICATOR_SIZE + HASH_SIZE + KEY_SIZE + CREDENTIAL_SIZE;

/** One epoch of one branch of the group, as a member in it sees it. */
export interface GroupPosition {
  readonly epoch: number;
  readonly authenticator: Uint8Array;
  /** Of everybody's leaf, identity, seat and leaf key. */
  readonly roster: Uint8Array;
}

/** Where a member says that it is, and when. */
export interface Heartbeat extends GroupPosition {
  /** It has a socket to the server: a change that is ordered should reach it. */
  readonly connected: boolean;
  /** Milliseconds on a clock of the sender's own that only moves forward. */
  readonly time: number;
  /** The signature key of the sender's leaf. */
  readonly leafKey: Uint8Array;
  readonly credential: Uint8Array;
}

/**
 * `version (1) | connected (1) | epoch (8) | time (8) | authenticator (64) | roster (32) | leaf key (32) |
 * credential (129) | signature by the leaf key (64)`. Outside MLS: members of two branches could not read each other.
 */
export async function encodeHeartbeat(
  room: string,
  beat: Heartbeat,
  sign: (message: Uint8Array) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const { connected, epoch, time, authenticator, roster, leafKey, credential } = beat;
  const head = concat(Uint8Array.of(VERSION, connected ? 1 : 0), u64(BigInt(epoch)), u64(BigInt(time)));
  const claims = concat(head, authenticator, roster, leafKey, credential);
  return concat(claims, await sign(signedMessage(room, claims)));
}

/** Null: malformed. Says nothing about the signature. */
export function parseHeartbeat(bytes: Uint8Array): Heartbeat | null {
  if (bytes.length !== CLAIMS_SIZE + SIGNATURE_SIZE) return null;
  const cursor = new Cursor(bytes.slice());
  const [version, connected] = [cursor.u8(), cursor.u8()];
  if (version !== VERSION || connected > 1) return null;
  const [epoch, time] = [Number(cursor.u64()), Number(cursor.u64())];
  if (!Number.isSafeInteger(epoch) || !Number.isSafeInteger(time)) return null;
  return {
    connected: connected === 1,
    epoch,
    time,
    authenticator: cursor.bytes(AUTHENTICATOR_SIZE),
    roster: cursor.bytes(HASH_SIZE),
    leafKey: cursor.bytes(KEY_SIZE),
    credential: cursor.bytes(CREDENTIAL_SIZE),
  };
}

/** Whether the leaf key in it signed it, for this room. Whose key that is, is another question. */
export function verifyHeartbeat(room: string, bytes: Uint8Array, { leafKey }: Heartbeat): Promise<boolean> {
  const message = signedMessage(room, bytes.subarray(0, CLAIMS_SIZE));
  return verifyEd25519(leafKey, message, bytes.subarray(CLAIMS_SIZE));
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
function signedMessage(room: string, claims: Uint8Array): Uint8Array {
  const name = utf8(room);
  return concat(utf8("Sealcast heartbeat\0"), u16(name.length), name, claims);
}
