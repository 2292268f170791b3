import type { LiveRelayAccess, LiveRelayState } from "./session.ts";

export type { LiveRelayAccess, LiveRelayState };

/** What a page and its worker of relays say to each other. `publish` or `subscribe` comes first, once. */
export type ToLiveRelay =
  /** Tracks that are sealed in a worker come over a port; `signatures`: the name of the one of which the page has what goes out. */
  | { readonly type: "publish"; readonly tracks: readonly string[]; readonly signatures: string }
  /** `begin`: with which of the relays, counted on and on. */
  | { readonly type: "subscribe"; readonly begin: number }
  /** The answer to `need-access`; null: there is none now. */
  | { readonly type: "access"; readonly access: LiveRelayAccess | null }
  /** Another port, of `PublishedFrame`s and `PublishingWish`es, takes the place of the one before. Transferred. */
  | { readonly type: "feed"; readonly port: MessagePort }
  /** A batch of signatures. */
  | { readonly type: "signed"; readonly batch: Uint8Array }
  /** From now on this track's frames go over that port, each a `RelayedFrame`. Transferred. */
  | { readonly type: "watch"; readonly track: string; readonly priority: number; readonly port: MessagePort }
  | { readonly type: "unwatch"; readonly track: string }
  /** A subscriber goes on to the next relay: what is wanted does not come from this one. */
  | { readonly type: "leave" };

export type FromLiveRelay =
  /** The server is to be asked. */
  | { readonly type: "need-access" }
  | { readonly type: "state"; readonly state: LiveRelayState }
  /** Frames of a track that went out so far, and how long they took together from their sealing. */
  | { readonly type: "published"; readonly track: string; readonly frames: number; readonly ms: number };
