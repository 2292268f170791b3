import { type Clock, dropOldest, TokenBucket } from "@sealcast/time";
import { LINK_BUDGETS } from "./budgets.ts";
import { isHidden, isReachable, isRelayed, withoutRelated } from "./candidates.ts";

/** How connections are made. */
export interface Ice {
  readonly servers: RTCIceServer[];
  /** All goes through a TURN server of these: the other end learns no address of this computer. */
  readonly relayOnly: boolean;
}

/** Candidates of the other end that take nothing when they come again. */
const MOST_KNOWN = 1_024;

/** Which addresses the two ends of a link name to each other, as candidates (RFC 8839 section 5.1, without "a="). */
export class LinkAddresses {
  ice: Ice;
  readonly #remoteCandidates: TokenBucket;
  /**
   * Taken before, word for word: each later description names them again. Browsers keep another one of the same address, too, for
   * as long as the connection is there.
   */
  readonly #remote = new Set<string>();
  /** The page's server is on this computer, as others on it may be. */
  readonly #loopback = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  readonly #refused: () => void;

  /** `refused` is called for each address of the other end to which nothing is sent. */
  constructor(ice: Ice, refused: () => void, clock: Clock) {
    this.ice = ice;
    this.#refused = refused;
    this.#remoteCandidates = new TokenBucket(LINK_BUDGETS.candidates, clock);
  }

  /** A candidate of this end as the other end is told of it; null: it is not. */
  readonly said = (candidate: string): string | null => {
    if (!isReachable(candidate, this.#loopback)) return null;
    if (!this.ice.relayOnly) return candidate;
    return isRelayed(candidate) ? withoutRelated(candidate) : null;
  };

  /** Whether a candidate of the other end is an address to which something may be sent. */
  readonly takes = (candidate: string): boolean => {
    // To ask for a name would show this computer to those on its network who know the name.
    if (this.ice.relayOnly && isHidden(candidate)) return false;
    const isKnown = this.#remote.has(candidate);
    const isTaken = isReachable(candidate, this.#loopback) && (isKnown || this.#remoteCandidates.tryTake());
    if (!isTaken) this.#refused();
    else if (!isKnown) dropOldest(this.#remote.add(candidate), MOST_KNOWN);
    return isTaken;
  };
}

/** For a connection. With this flag Chromium lets no frame leave or arrive before a transform is attached. */
export function configurationOf({ servers, relayOnly }: Ice): RTCConfiguration & { encodedInsertableStreams: true } {
  return { iceServers: servers, iceTransportPolicy: relayOnly ? "relay" : "all", encodedInsertableStreams: true };
}
