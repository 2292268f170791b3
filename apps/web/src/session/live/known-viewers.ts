import type { ViewerChange } from "@sealcast/keys";
import { type Clock, TokenBucket } from "@sealcast/time";
import { PAGE_BUDGETS } from "../budgets.ts";
import type { TimedLink } from "../measuring/timing.ts";
import type { Breach } from "../peer/media-peer.ts";

/** One viewer as the host knows them. */
export interface ViewerEntry {
  id: string;
  number: number;
  /** What they say that they are called; "" where they have not. */
  name: string;
  /**
   * `full`: waits for a place. `unable`: gets no video, since it decodes none of the usual codecs. A breach: this page closed the
   * connection for it. `relayed`: watches over relays, as they say. `departed`: left, and has the key until its next change.
   */
  is: "connecting" | "watching" | "relayed" | "away" | "departed" | "full" | "unable" | Breach;
  /** They say that they record. */
  records: boolean;
}

/** A viewer whom the keys worker or one of their messages has made known to the host. */
export interface KnownViewer {
  readonly number: number;
  is: ViewerChange["is"];
  /** They have opened the host's answer, as their channel shows. */
  isProven: boolean;
  /** Null until their page has said that it is ready. */
  decodes: string[] | null;
  /** In which codecs the picture can come over relays to them. */
  plays: string[];
  /** They were told that the stream is to be had over relays, and say that they see it. */
  isRelayed: boolean;
  seesRelayed: boolean;
  /** They say that it comes late. */
  isLate: boolean;
  /** They said that no connection comes about: they stay with relays where there are any. */
  isUnreached: boolean;
  /** Whether their page plays the sound now: to one that does not, none is sent. */
  listens: boolean;
  /** Their page says that it records. */
  records: boolean;
  name: string;
  readonly names: TokenBucket;
  readonly upvotes: TokenBucket;
  readonly messages: TokenBucket;
  readonly connections: TokenBucket;
  readonly timings: TokenBucket;
  readonly states: TokenBucket;
  /** The frames that their dashboard last asked of, and by what it is answered; null before it asked. */
  readonly askedFrames: Set<number>;
  timed: TimedLink | null;
  /** As the host's list had them last. */
  entry: ViewerEntry | null;
  /** Why this page closed the connection to them, and makes no other. */
  breach: Breach | null;
}

/** The host's viewers, numbered as they come. */
export class KnownViewers {
  readonly #clock: Clock;
  readonly #all = new Map<string, KnownViewer>();
  #numbers = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** By what the keys worker calls them, the first to come first. */
  get all(): ReadonlyMap<string, KnownViewer> {
    return this.#all;
  }

  /** That viewer, known from now on. */
  of(viewer: string): KnownViewer {
    const known = this.#all.get(viewer) ?? this.#first();
    this.#all.set(viewer, known);
    return known;
  }

  forget(viewer: string): void {
    this.#all.delete(viewer);
  }

  clear(): void {
    this.#all.clear();
  }

  #first(): KnownViewer {
    return {
      number: ++this.#numbers,
      is: "answered",
      isProven: false,
      decodes: null,
      plays: [],
      isRelayed: false,
      seesRelayed: false,
      isLate: false,
      isUnreached: false,
      listens: false,
      records: false,
      name: "",
      names: new TokenBucket(PAGE_BUDGETS.names, this.#clock),
      upvotes: new TokenBucket(PAGE_BUDGETS.upvotes, this.#clock),
      messages: new TokenBucket(PAGE_BUDGETS.messages, this.#clock),
      connections: new TokenBucket(PAGE_BUDGETS.connections, this.#clock),
      timings: new TokenBucket(PAGE_BUDGETS.timings, this.#clock),
      states: new TokenBucket(PAGE_BUDGETS.states, this.#clock),
      askedFrames: new Set(),
      timed: null,
      entry: null,
      breach: null,
    };
  }
}
