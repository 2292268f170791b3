import * as v from "valibot";

/** The wire's version. A change to any message changes this too; the wire is frozen by a hash test. */
export const PROTOCOL_VERSION = 6;

const KIB = 1024;
/** Largest message a client may send, in characters of JSON: commits with their welcomes are the large ones. */
export const MAX_MESSAGE = 256 * KIB;
/** Largest relay, in characters of JSON. */
export const MAX_RELAY = 64 * KIB;
/** Largest knock, in characters of JSON. */
export const MAX_KNOCK = 12 * KIB;
/** Largest first message on a socket, in characters of JSON. */
export const MAX_ENTRY = 2 * KIB;
/** Largest body that a viewer may tell the host before it is accepted, in letters of base64url. */
export const MAX_ASK = 4 * KIB;
/** Largest heartbeat, in letters of base64url. */
export const MAX_BEAT = KIB;
/** Largest message the server sends, in characters of JSON: a history is the large one. */
export const MAX_DOWN = 1024 * KIB;

export const base64url = (max: number) =>
  v.pipe(v.string(), v.maxLength(max), v.regex(/^[A-Za-z0-9_-]+$/, "not base64url"));
const newId128 = () => v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{22}$/, "not a 128-bit id"));
export const id128 = newId128();
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** 128-bit id of a live room, base64url. */
export const Room = newId128();
/** 32 bytes in base64url: a door (Ed25519 public key), a token of an epoch, a node, a nonce. The unused bits are zero. */
export const Key = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/, "not 32 bytes"));
/** An Ed25519 signature, 64 bytes in base64url. */
export const Signature = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{85}[AQgw]$/, "not 64 bytes"));
/** A connected client as the server names it: random, says nothing of the person behind it. */
export const MemberId = newId128();
/** Opaque end-to-end encrypted bytes, base64url. */
export const Body = base64url(MAX_RELAY);
export const LargeBody = base64url(MAX_MESSAGE);
/** Most successors of one node, and most tips of a room, in one message. */
export const MAX_NODES = 16;
/** Most sessions that one commit welcomes. */
export const MAX_WELCOMED = 50;

/** A public key of X-Wing, 1,216 bytes in base64url. */
export const KemKey = v.pipe(base64url(1622), v.length(1622));
/** Links by which one may knock at an epoch: the present one and 16 that were replaced. */
export const MAX_LINKS = 17;
/** Knock keys that members may give for one epoch: one of them, or a list of links of theirs, may be wrong. */
export const MAX_KNOCK_KEYS = 8;

/** Why the server ends a socket. */
export const FaultCode = v.picklist([
  "malformed",
  "too-large",
  "version",
  "not-joined",
  "refused-door",
  "room-full",
  "too-slow",
  "idle",
  "replaced",
  "dismissed",
]);
