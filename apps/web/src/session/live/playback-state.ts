import type { Verdict } from "@sealcast/media";
import type { MediaPeer } from "../peer/media-peer.ts";

/** How the stream stands for this viewer. */
export type PlaybackState =
  | "opening"
  /** The host has not been here. */
  | "not-started"
  /** The host is here, and the way to the picture is being made. */
  | "connecting"
  /** Came with an old link: the host has to decide. */
  | "waiting"
  | "full"
  /** The server says that the host does not take this link. */
  | "unknown-link"
  | "playing"
  /** The way broke, and is being mended. */
  | "reconnecting"
  /** The host's page is gone for now. */
  | "away"
  /** The host's signatures are overdue: nothing more is shown until they come. */
  | "unsigned"
  /** Frames came that the host did not sign: nothing is shown. */
  | "forged"
  /** The host's app sent too much, or what none sends: this page closed the connection. */
  | "closed"
  | "ended"
  | "refused";

/** Why the server ended the connection to it: the stream is full, the host does not know the link's door, or anything else. */
export type Refusal = "full" | "unknown-link" | "other";

/** From what it follows how the stream stands. */
interface Circumstances {
  /** This page goes no further. */
  readonly isRefused: boolean;
  readonly refusal: Refusal | null;
  /** As the server says; null before it has. What it says changes words only. */
  readonly hostIs: "absent" | "here" | "away" | "ended" | null;
  /** The host said so. */
  readonly hasEnded: boolean;
  /** This page closed the connection to the host's app. */
  readonly isClosed: boolean;
  readonly isWaiting: boolean;
  readonly isFull: boolean;
  /** The connection of the stream that the keys are of; null where one of the two is missing. */
  readonly connection: Pick<MediaPeer, "state" | "verdict"> | null;
  /** Signatures may be missing since they were lost on the way. */
  readonly isExplained: boolean;
  readonly hasPlayed: boolean;
  /** Nothing comes now, after something did. */
  readonly isSilent: boolean;
  /** The host sends something to this page. */
  readonly isSent: boolean;
}

export function playbackState(now: Circumstances): PlaybackState {
  const { refusal, hostIs } = now;
  if (now.isRefused) return "refused";
  if (hostIs === null) return refusal === null || refusal === "other" ? "opening" : refusal;
  if (now.hasEnded) return "ended";
  if (now.isClosed) return "closed";
  const played = stateOfConnection(now);
  if (played !== null) return played;
  if (hostIs === "absent") return "not-started";
  if (hostIs !== "here") return hostIs;
  return now.isWaiting ? "waiting" : now.isFull ? "full" : "connecting";
}

/** Whether the picture is on the screen: of one that nobody vouches for nothing stays there, however the connection stands. */
export function isShown(state: PlaybackState, verdict: Verdict): boolean {
  return verdict === "signed" && (state === "playing" || state === "reconnecting");
}

/** Null where the connection does not decide it. */
function stateOfConnection(now: Circumstances): PlaybackState | null {
  const { connection, hostIs, hasPlayed, isSilent } = now;
  if (connection?.state === "connected") {
    const { verdict } = connection;
    if (verdict === "forged" && !now.isExplained) return verdict;
    if (isSilent || (verdict !== "signed" && now.isExplained)) return hostIs === "here" ? "reconnecting" : "away";
    if (verdict === "unsigned") return verdict;
    return hasPlayed || !now.isSent ? "playing" : "connecting";
  }
  if (connection === null || hostIs !== "here") return null;
  return hasPlayed ? "reconnecting" : "connecting";
}
