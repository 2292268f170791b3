import type { RoomDown, RoomUp } from "@sealcast/protocol";
import type { Rate } from "@sealcast/time";
import type { LayerCount } from "./link.ts";

/** What the page and the keys worker say to each other, and what the keys worker tells each media worker. */

/** The public half of a link's door key, and a signature by the other half over the server's nonce. In base64url. */
export interface DoorProof {
  door: string;
  signature: string;
}

/** The answer to a challenge. The page, which knows the session that it takes up, makes the message of it. */
export type JoinProof = { type: "join"; nonce: string } & DoorProof;

/** Someone in the group, as their leaf's signed credential says. */
export interface GroupMember {
  leaf: number;
  /** Long-term Ed25519 public key, hex. */
  identity: string;
  /** One tab of one browser, hex: survives a reload. A leaf with another occupant is another member. */
  seat: string;
  /** The leaf's own signature key, hex: differs after every (re)join. Names this member on the leaf. */
  leafKeyId: string;
  /** What they call themselves, as their leaf has it: 1 to 128 bytes of UTF-8 without controls. Nothing vouches for it. */
  name: string;
  me: boolean;
}

/** Someone who is in the group no more: a host removed them, or they left or vanished. */
export interface Departed {
  /** As they were last. */
  member: GroupMember;
  by: "removal" | "leave";
}

/** What two people compare. Equal on both sides exactly when each has the other's own identity key. */
export interface SafetyCode {
  /** 30 digits: verifies. */
  digits: string;
  /** What its QR code says: the same digits, with scheme and version. */
  qr: string;
  /** 12 numbers in 0..63, for pictures: a convenience, 72 bits. */
  symbols: number[];
}

/** What heartbeats tell of a member who is not where this one is. */
export type Alarm =
  /**
   * `forked`: it has seen another course of the same group. `withheld`: it does not get a change that this member has.
   * `silent`: nothing comes from it, which may be no more than a bad network.
   */
  | { what: "forked" | "withheld" | "silent"; leafKeyId: string }
  /** A change that these members say they have does not come to this one. */
  | { what: "withheld-here"; ahead: string[] };

/** Who gets in: everybody with the link; whom a host lets in; nobody. Members and hosts may come back in any mode. */
export type RoomMode = "open" | "waiting" | "locked";

/** Bytes of an identity: an Ed25519 public key. */
export const IDENTITY_SIZE = 32;
/** A room has no more hosts. */
export const MAX_HOSTS = 16;

/**
 * What one leaf may say inside the group to another, of any kind; more is left out. That is more than one of our apps says, with all
 * that goes again, and more than the server takes of a socket (see [Note: Pace of messages]).
 */
export const LEAF_MESSAGES: Rate = { burst: 640, perSecond: 24 };

/** What the group has agreed on beside its roster. */
export interface RoomRules {
  /** Whether this member may act as host now: change mode and hosts, let in, remove and replace the link. */
  host: boolean;
  /** Identities (hex) that may act as host now. While no host is here, the member on the lowest leaf stands in. */
  hosts: readonly string[];
  mode: RoomMode;
}

/** Someone who waits to be let in. */
export interface Knocker {
  /** Names one tab of one browser, and stays the same while it knocks. */
  seat: string;
  /** Long-term Ed25519 public key, hex. */
  identity: string;
  /** What they call themselves. */
  name: string;
  /** They came with a link that a removal has replaced. */
  oldLink: boolean;
  /** A host removed this identity from this call. */
  removed: boolean;
}

export type ToKeys =
  /** `host`: the server's name and port as the page's address has them, in lower case. */
  | { type: "start"; secret: Uint8Array; room: string; layers: LayerCount; seat: Uint8Array; host: string }
  /** What the server said, as it said it. */
  | { type: "room"; event: RoomDown }
  /**
   * End-to-end encrypted message for one member (by leafKeyId) or for all; delivered once, in order, acknowledged and
   * re-sent across epochs. With a `receipt`, `delivered` tells when it has arrived with all whom it is for and who are
   * still here. `as`: nothing is sent, nor told, where this member has another leafKeyId by then.
   */
  | { type: "send"; to: string; body: Uint8Array; receipt?: number; as?: string }
  /** This member's media to that leaf is up or down: a leaf that the server calls gone stays while its media is up. */
  | { type: "reachable"; leaf: number; up: boolean }
  /** That member's page said over its link that it is being closed or loaded again. No media goes to it any more. */
  | { type: "goodbye"; leafKeyId: string }
  /** A heartbeat that came over the link to that member (by leafKeyId). */
  | { type: "heartbeat"; from: string; body: Uint8Array }
  /** What the member with this leafKeyId says of commits over its connection. */
  | { type: "peer-commit"; from: string; body: Uint8Array }
  /** The socket to the server dropped. When it is back, `joined` comes from the room. */
  | { type: "disconnected" }
  /** The server has answered a ping on the socket. */
  | { type: "alive" }
  | { type: "media"; port: MessagePort }
  /** Asks for the safety code of this browser's identity and another (hex): `code` answers within some seconds. */
  | { type: "compare"; identity: string }
  /** Asks for the code of all who are in the group of this room: identities (hex), one's own included. */
  | { type: "compare-meeting"; identities: readonly string[]; room: string }
  /**
   * What this person calls themselves: before the first `joined`, and again to change it. A member's leaf has the new name
   * within 5 s, where the last one counts. To be asked first: isLeafName.
   */
  | { type: "introduce"; name: string }
  /**
   * A host's: removes all members of that identity (hex), and replaces the link so that they do not come back. Stays ordered
   * until it is done, whatever comes between: `removal` tells.
   */
  | { type: "remove"; identity: string }
  /** A host's. */
  | { type: "mode"; mode: RoomMode }
  /** A host's: these identities (hex, 1 to 16, none twice) are the hosts from then on. Who only stands in can add itself. */
  | { type: "hosts"; identities: readonly string[] }
  /** A host's answer to someone who waits. */
  | { type: "admit"; seat: string; yes: boolean }
  /** Asks to be taken in again, which gives everybody a new epoch: for media that does not open. */
  | { type: "rejoin" }
  | { type: "leave" };

export type FromKeys =
  /** For the server. */
  | { type: "to-room"; message: RoomUp | JoinProof }
  /** The group in a new epoch. `departed`: whom the change took out that began it; who was put on another leaf is not. */
  | { type: "members"; epoch: number; members: readonly GroupMember[]; rules: RoomRules; departed: readonly Departed[] }
  /** A removal that the page asked for. Done: everybody has another link, and nobody of that identity is in the group. */
  | { type: "removal"; identity: string; is: "ordered" | "done" }
  /** Who waits for a host's answer; only hosts hear of it. */
  | { type: "knockers"; knockers: Knocker[] }
  /**
   * A member has read this one's knock. `waiting`: a host has to decide. `turned-away`: a host said no, or the room is locked;
   * others are still asked.
   */
  | { type: "answered"; is: "waiting" | "turned-away" }
  /** This is the secret of the link that admits from now on: it was replaced, or this member had come with an old one. */
  | { type: "link"; secret: Uint8Array }
  | { type: "message"; from: GroupMember; body: Uint8Array }
  /** The member with this leafKeyId says more than LEAF_MESSAGES: what comes past that is left out. Said once. */
  | { type: "flood"; from: string }
  /** `missed`: identities of those who have gone, and had not acknowledged it. */
  | { type: "delivered"; receipt: number; missed: readonly string[] }
  /** This member's heartbeat, for every link. */
  | { type: "heartbeat"; body: Uint8Array }
  /** For the member with this leafKeyId, over its connection: a commit that it may lack, or a question for one. */
  | { type: "peer-commit"; to: string; body: Uint8Array }
  /** All that heartbeats give cause to now; again whenever that changes. */
  | { type: "alarms"; alarms: Alarm[] }
  | { type: "code"; identity: string; code: SafetyCode }
  /** Of these identities, as they were asked for: 30 digits. */
  | { type: "meeting-code"; identities: readonly string[]; digits: string }
  /** Something that came was refused, and changed nothing. */
  | { type: "dropped"; what: Drop; detail: string }
  | { type: "noted"; what: KeyNote; detail: string }
  /**
   * Ends the call. `replaced`: another tab took this one's seat; `removed`: by a host; `not-admitted`: nobody answers
   * the knock; `turned-away`: nobody lets this member in, and a member says that a host said no, or that the room is locked.
   */
  | { type: "refused"; why: "replaced" | "removed" | "not-admitted" | "turned-away" | "no-identity" }
  | { type: "left" };

export type Drop =
  /** Altered, or not made by a member of this group for it. */
  | "bad-message"
  /** A message or knock that came before. Messages do so after a lost socket too: what may be lost is sent again. */
  | "replayed"
  /** A message, commit or knock of an epoch that is over. Newcomers get some too, and who fetched what a lost socket kept. */
  | "stale"
  /** A commit that breaks a rule, or is nobody's. */
  | "invalid-commit"
  /** Of a Welcome: for someone else, asked for by nobody, without the link, or into a stranger's group. */
  | "bad-welcome"
  /** Not sealed under the link's secret and to the epoch's knock key, or expired. */
  | "bad-knock"
  | "bad-heartbeat";

export type KeyNote = "resync" | "commit-lost" | "unordered-commit" | "unsent" | "stale-leaf-removed";

/** What frames of one epoch are sealed under. */
export interface EpochKeys {
  epoch: number;
  /** This member's own. */
  leaf: number;
  /** Of all who hold this epoch: frames of another leaf do not open. */
  leaves: readonly number[];
  /** HKDF, not extractable. */
  baseKey: CryptoKey;
  /** 32 bytes for the second layer; null in a room of one layer. */
  outerKey: Uint8Array | null;
  /** Counters that were in use before these keys came here: a live stream's newcomer opens nothing from before. */
  floors?: CounterFloor[];
}

/** A KID's highest counter that is in use already: frames at or below are old. */
export interface CounterFloor {
  kid: bigint;
  highest: number;
}

/** An Ed25519 key for signatures over frames, and where these frames belong: a text known to both ends. */
export interface FrameSigning {
  key: CryptoKey;
  context: string;
}

/** Keys for one media worker, over a port of its own: key material never passes through the page. */
export type KeyUpdate =
  /**
   * Frames of this epoch may be opened from now on. `id` is its own for the life of the keys worker: an epoch of another
   * branch can have the same number, later.
   */
  | ({ type: "epoch"; id: number } & EpochKeys)
  /** Sealers switch to this epoch, the one of that number whose keys came last. */
  | { type: "send"; epoch: number }
  /** Forget this epoch: its time is over. */
  | { type: "drop"; epoch: number }
  /** This member's frames are signed with this private key, which cannot be exported. */
  | ({ type: "signing" } & FrameSigning)
  /** That leaf's frames are signed, and this is the public key. */
  | ({ type: "signer"; leaf: number } & FrameSigning);
