import type { LinkState } from "@sealcast/network";
import { type Clock, type Milli, milli } from "@sealcast/time";

/** A connection takes a second or two, and on a busy machine some more: what takes longer found no way yet. */
export const UNREACHED_AFTER = milli(15_000);

/** Tells connections for which no way is found from those that are on their way. */
export class Unreached<Peer extends { readonly state: LinkState }> {
  readonly #clock: Clock;
  #since = new Map<Peer, Milli>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Once a reading, with all connections that are to be: those for which there was no way for a while. */
  examine(peers: readonly Peer[]): Peer[] {
    const now = this.#clock.now();
    const waiting = peers.filter(({ state }) => state !== "connected");
    this.#since = new Map(waiting.map((peer) => [peer, this.#since.get(peer) ?? now]));
    return waiting.filter((peer) => now - (this.#since.get(peer) ?? now) >= UNREACHED_AFTER);
  }
}
