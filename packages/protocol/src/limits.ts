const KIB = 1024;

/** The wire's version. A change to any message changes this too; the wire is frozen by a hash test. */
export const PROTOCOL_VERSION = 10;

/** Most people in a room of a call, and so most sessions that one commit welcomes. */
export const MAX_MEMBERS = 50;
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
/** Most successors of one node, and most tips of a room, in one message. */
export const MAX_NODES = 16;
/** URLs of one TURN server: over UDP, TCP and TLS, under several addresses. */
export const MAX_TURN_URLS = 8;
/** Most bodies, and most accepted viewers, in one `deliver`; most viewers in one `dismiss`. */
export const MAX_DELIVERIES = 64;
/** Relays of live streams, of which a page tries one after the other. */
export const MAX_LIVE_RELAYS = 8;
/** Links by which one may knock at an epoch: the present one and 16 that were replaced. */
export const MAX_LINKS = 17;
/** Knock keys that members may give for one epoch: one of them, or a list of their links, may be wrong. */
export const MAX_KNOCK_KEYS = 8;
