import { toBase64url } from "@sealcast/bytes";
import type { Ice, Signal } from "@sealcast/network";
import type { Milli } from "@sealcast/time";
import { MediaPeer, type MediaPeerOptions } from "../peer/media-peer.ts";

/** A first picture takes a tenth of a second at the little that browsers begin with. A way that carries less is found out in a second. */
const START_KBIT_PER_S = 1_000;
/** Viewers send no frames, so they have no leaf that anything is opened of. */
const NO_LEAF = 0;

export type WatcherOptions = Pick<MediaPeerOptions, "parts" | "stream" | "sound" | "track" | "breached" | "changed">;

interface Newcomer {
  /** What the host calls them. */
  readonly name: string;
  /** Whether their page plays the sound now: to one that does not, none is sent. */
  listens(): boolean;
  signal(signal: Signal): void;
}

/**
 * The host's end of one connection to one viewer: it sends only, and signs all that it sends. It is made before they come:
 * what takes longest to make then waits for them, and not they for it.
 */
export class Watcher {
  /** The connection's, random: a viewer who has met several knows nothing of others' by them. */
  readonly id = toBase64url(crypto.getRandomValues(new Uint8Array(16)));
  /** When it was made. */
  readonly since: Milli;
  /** As it was made. */
  readonly ice: Ice;
  readonly media: MediaPeer;
  /** Null while it is nobody's. */
  #viewer: Newcomer | null = null;
  /** Said before there was anybody to hear it. */
  readonly #early: Signal[] = [];

  constructor(options: WatcherOptions) {
    this.ice = options.parts.ice;
    this.since = options.parts.clock.now();
    this.media = new MediaPeer({
      ...options,
      direction: "sendonly",
      isCaller: true,
      isSigned: true,
      leaf: NO_LEAF,
      startBitrate: START_KBIT_PER_S,
      name: () => this.#viewer?.name ?? "",
      track: (source) => (source === "camera" || this.#viewer?.listens() ? options.track(source) : null),
      signal: (signal) => this.#signal(signal),
    });
  }

  /** The connection is this viewer's from now on. */
  meet(viewer: Newcomer): void {
    this.#viewer = viewer;
    for (const signal of this.#early.splice(0)) viewer.signal(signal);
  }

  #signal(signal: Signal): void {
    if (this.#viewer === null) this.#early.push(signal);
    else this.#viewer.signal(signal);
  }
}
