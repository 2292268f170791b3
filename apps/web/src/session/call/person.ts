import type { SafetyCode } from "@sealcast/keys";
import type { MediaKind } from "@sealcast/media";
import type { ConsentView } from "../recording/consent.ts";
import type { ShownMember } from "./known-peers.ts";
import type { PeerView } from "./peer.ts";

/** A leaf of the group that is not this person's: there is one of these for each, whatever its client sends. */
export interface Person extends Omit<ShownMember, "member">, PeerView, ConsentView {
  /** Stable while this person stays: names one member on a leaf, until it joins again. */
  id: string;
  /** Long-term public key, hex: the same in all of a person's tabs. */
  identity: string;
  /** To compare with them; null until it was asked for and is computed. */
  code: SafetyCode | null;
  /** False when none of their heartbeats came for a while. */
  answering: boolean;
  /** What they send and nothing comes of: someone keeps it back, or the way is too slow for it. */
  missing: MediaKind[];
}
