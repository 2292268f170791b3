import type { LayerCount } from "./link.ts";

/** What the page and the keys worker say to each other, and what the keys worker tells each media worker. */

/** What the signalling server delivers, already decoded from its envelope, in the room's order. */
export type FromRoom =
  | { type: "relayed"; from: string; body: Uint8Array }
  | { type: "knocked"; from: string; body: Uint8Array }
  | { type: "ordered"; seq: number; from: string; epoch: number; body: Uint8Array }
  | { type: "refused"; epoch: number; head: Head | null }
  | { type: "welcomed"; from: string; body: Uint8Array }
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

export type ToKeys =
  | { type: "start"; secret: Uint8Array; room: string; layers: LayerCount; seat: Uint8Array }
  | { type: "room"; event: FromRoom }
  /**
   * End-to-end encrypted message for one leaf or for all; delivered once, in order, acknowledged and re-sent across
   * epochs. With a `receipt`, `delivered` tells when it has arrived with all whom it is for and who are still here.
   */
  | { type: "send"; to: number | "all"; body: Uint8Array; receipt?: number }
  /** This member's media to that leaf is up or down: a leaf that the server calls gone stays while its media is up. */
  | { type: "reachable"; leaf: number; up: boolean }
  | { type: "media"; port: MessagePort }
  /** Asks for the safety code of this browser's identity and another (hex): `code` answers within some seconds. */
  | { type: "compare"; identity: string }
  /** Asks to be taken in anew, which gives everybody a new epoch: for media that does not open. */
  | { type: "rejoin" }
  | { type: "leave" };

export type FromKeys =
  | { type: "to-room"; message: ToRoom }
  /** Where this member's group stands, for the next `join`; null before it is in one. */
  | { type: "head"; head: Head | null }
  | { type: "members"; epoch: number; members: Member[] }
  | { type: "message"; from: Member; body: Uint8Array }
  | { type: "delivered"; receipt: number }
  | { type: "code"; identity: string; code: SafetyCode }
  /** `noted` is for the page's log of what happened; `refused` ends the call. `removed`: another tab took this one's seat. */
  | { type: "noted"; what: KeyNote; detail: string }
  | { type: "refused"; why: "removed" | "not-admitted" | "no-identity" }
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
}

/** Keys for one media worker, over a port of its own: key material never passes through the page. */
export type KeyNews =
  /** Frames of this epoch may be opened from now on. */
  | ({ type: "epoch" } & EpochKeys)
  /** Sealers switch to this epoch. */
  | { type: "send"; epoch: number }
  /** Forget this epoch: its time is over. */
  | { type: "drop"; epoch: number };
