import type { LayerCount } from "./link.ts";

/** What the page and the keys worker say to each other, and what the keys worker tells each media worker. */

/** What the signalling server delivers, already decoded from its envelope, in the room's order. */
export type FromRoom =
  | { type: "relayed"; from: string; body: Uint8Array }
  | { type: "knocked"; from: string; body: Uint8Array }
  | { type: "ordered"; seq: number; from: string; epoch: number; body: Uint8Array }
  | { type: "refused"; epoch: number; head: Head | null }
  | { type: "welcomed"; from: string; body: Uint8Array }
  | { type: "answered"; from: string; body: Uint8Array }
  | { type: "history"; commits: { epoch: number; body: Uint8Array }[] }
  | { type: "presence"; member: string; is: "away" | "back" | "gone" }
  | { type: "found" }
  | { type: "yield" }
  /** The socket is joined (again). `head` is what the server knows; `resumed` means that nothing was missed. */
  | { type: "joined"; member: string; founder: boolean; resumed: boolean; head: Head | null };

/** What goes to the signalling server. */
export type ToRoom =
  | { type: "relay"; body: Uint8Array }
  | { type: "knock"; body: Uint8Array }
  /** To somebody who knocked. */
  | { type: "answer"; to: string; body: Uint8Array }
  | { type: "commit"; epoch: number; body: Uint8Array; welcome: { to: string[]; body: Uint8Array } | null }
  | { type: "skip"; seq: number }
  | { type: "fetch"; epoch: number }
  | { type: "restock"; epoch: number; body: Uint8Array };

/** An epoch of a branch. `authenticator` is the MLS epoch authenticator, null where only the number is known. */
export interface Head {
  epoch: number;
  authenticator: Uint8Array | null;
}

/** Somebody in the group, as their leaf's signed credential says. */
export interface Member {
  leaf: number;
  /** Long-term Ed25519 public key, hex. */
  identity: string;
  /** One tab of one browser, hex: survives a reload. A leaf with another occupant is another member. */
  seat: string;
  /** The leaf's own signature key, hex: differs after every (re)join. Names this occupancy of the leaf. */
  occupancy: string;
  me: boolean;
}

/** What two people compare. Equal on both sides exactly when each has the other's own identity key. */
export interface SafetyCode {
  /** 30 digits: verifies. */
  digits: string;
  /** 12 numbers in 0..63, for pictures: a convenience, 72 bits. */
  symbols: number[];
}

/** Who gets in: everybody with the link; whom the creator lets in; nobody. Members may come back in any mode. */
export type RoomMode = "open" | "waiting" | "locked";

/** What the group has agreed on beside its roster. */
export interface RoomRules {
  /** Whether this member's identity founded the group: it alone may change the mode and remove others. */
  creator: boolean;
  mode: RoomMode;
}

/** Somebody who waits to be let in. */
export interface Knocker {
  /** Names one tab of one browser, and stays the same while it knocks. */
  seat: string;
  /** Long-term Ed25519 public key, hex. */
  identity: string;
  /** What they call themselves. */
  name: string;
}

export type ToKeys =
  | { type: "start"; secret: Uint8Array; room: string; layers: LayerCount; seat: Uint8Array }
  | { type: "room"; event: FromRoom }
  /**
   * End-to-end encrypted message for one member (by occupancy) or for all; delivered once, in order, acknowledged and
   * re-sent across epochs. With a `receipt`, `delivered` tells when it has arrived with all whom it is for and who are
   * still here.
   */
  | { type: "send"; to: string; body: Uint8Array; receipt?: number }
  /** This member's media to that leaf is up or down: a leaf that the server calls gone stays while its media is up. */
  | { type: "reachable"; leaf: number; up: boolean }
  | { type: "media"; port: MessagePort }
  /** Asks for the safety code of this browser's identity and another (hex): `code` answers within some seconds. */
  | { type: "compare"; identity: string }
  /** What this person calls themselves, for whoever decides about letting them in. */
  | { type: "introduce"; name: string }
  /** The creator's: removes a member, and replaces the link so that it does not come back. */
  | { type: "remove"; leaf: number }
  /** The creator's. */
  | { type: "mode"; mode: RoomMode }
  /** The creator's answer to somebody who waits. */
  | { type: "admit"; seat: string; yes: boolean }
  /** Asks to be taken in anew, which gives everybody a new epoch: for media that does not open. */
  | { type: "rejoin" }
  | { type: "leave" };

export type FromKeys =
  | { type: "to-room"; message: ToRoom }
  /** Where this member's group stands, for the next `join`; null before it is in one. */
  | { type: "head"; head: Head | null }
  | { type: "members"; epoch: number; members: Member[]; rules: RoomRules }
  /** Who waits for the creator's answer; only the creator hears of it. */
  | { type: "knockers"; knockers: Knocker[] }
  /** Somebody in the room has read this member's knock, and the creator has to decide. */
  | { type: "waiting" }
  /** The link was replaced: this is the secret of the one that admits from now on. */
  | { type: "link"; secret: Uint8Array }
  | { type: "message"; from: Member; body: Uint8Array }
  | { type: "delivered"; receipt: number }
  | { type: "code"; identity: string; code: SafetyCode }
  | { type: "noted"; what: KeyNote; detail: string }
  /**
   * Ends the call. `replaced`: another tab took this one's seat; `removed`: by the creator; `not-admitted`: nobody who can
   * read the knock is there; `turned-away`: the creator said no, or the room is locked.
   */
  | { type: "refused"; why: "replaced" | "removed" | "not-admitted" | "turned-away" | "no-identity" }
  | { type: "left" };

export type KeyNote = "invalid-commit" | "resync" | "commit-lost" | "bad-message" | "bad-knock" | "stale-leaf-removed";

/** What frames of one epoch are sealed under. */
export interface EpochKeys {
  epoch: number;
  /** This member's own. */
  leaf: number;
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
  highest: bigint;
}

/** Keys for one media worker, over a port of its own: key material never passes through the page. */
export type KeyNews =
  /** Frames of this epoch may be opened from now on. */
  | ({ type: "epoch" } & EpochKeys)
  /** Sealers switch to this epoch. */
  | { type: "send"; epoch: number }
  /** Forget this epoch: its time is over. */
  | { type: "drop"; epoch: number };
