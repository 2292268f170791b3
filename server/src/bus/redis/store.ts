/** What several processes of the server share, as one of them ("node") uses it. All names are opaque, all bytes sealed. */
export interface Store {
  /**
   * Connects as this node, which nobody was before.
   *
   * @throws Where the store cannot be reached.
   */
  open(node: string, events: StoreEvents): Promise<StoreSession>;
}

export interface StoreEvents {
  /** Another node published this for this one: what comes from one node comes in its order. */
  received(bytes: Buffer): void;
  /** The session has ended. What was published since may be lost. */
  lost(): void;
}

export interface Renewed {
  /** Whether this node's lease had not run out. */
  readonly had: boolean;
  /** Those of the given nodes whose lease has run out, or who receive nothing. */
  readonly gone: readonly string[];
}

/** One connection to the store, from `open` to `lost` or `close`. Promises reject where it ends before they are kept. */
export interface StoreSession {
  /** Renews this node's lease for `LEASE`. */
  renew(peers: readonly string[]): Promise<Renewed>;
  /**
   * For each name, the node that has it now: this one, where no node has it whose lease holds. Null: not to be known yet.
   *
   * @param former - As which nodes the caller may have had it before. It is taken from those, and at once. For a while after
   * nobody could renew a lease, each node gets back what it had: who names none waits, and so do all for what yet another node had.
   */
  claim(names: readonly string[], former: readonly string[]): Promise<readonly (string | null)[]>;
  /** Gives up those of the names that this node has. */
  release(names: readonly string[]): Promise<void>;
  /** @returns whether the node receives. */
  publish(to: string, bytes: Buffer): Promise<boolean>;
  /** Gives up the lease, and disconnects. */
  leave(): Promise<void>;
  /** Disconnects. */
  close(): void;
}

/** Milliseconds for which a node's lease holds after a renewal. */
export const LEASE = 2_000;
/** The same, for a name: a node renews what it has in less. */
export const NAME_KEPT = 30_000;
/** Milliseconds for the store to let a node in, and until a node tries again where the store was away. */
export const TO_OPEN = 2_000;
export const OPEN_LATER = 1_000;
/**
 * Milliseconds for which names are given to those only who had them, after nobody could renew a lease. Each node gets in within that time
 * after the first one: it may have begun an attempt that comes to nothing just before the store was back.
 */
export const GRACE = TO_OPEN + OPEN_LATER + 500;
