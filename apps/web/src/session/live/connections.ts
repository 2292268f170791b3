import type { Breach } from "@sealcast/network";
import { milli } from "@sealcast/time";
import type { Devices } from "../devices/devices.ts";
import type { MediaSession } from "../media-session.ts";
import type { MediaPeer } from "../peer/media-peer.ts";
import { meshViewers } from "../shell.ts";
import { MOST_VIEWERS } from "./places.ts";
import type { Programme } from "./programme.ts";
import { Watcher } from "./watcher.ts";

/** Of sound in a packet, no matter who watches: a length that follows how many do would tell each of them. */
const PACKET = milli(40);
/** A connection that waits for someone is replaced after so long: its addresses may be out of date. */
const SPARE_LIFE = milli(5 * 60_000);

interface ConnectionsOptions {
  media: MediaSession;
  devices: Devices;
  programme: Programme;
  /** That viewer's app sends too much, or what none sends. */
  breached(viewer: string, breach: Breach): void;
  /** Of which a viewer has this connection; null where none has. */
  changed(watcher: Watcher, viewer: string | null): void;
}

/** The host's connections: one a viewer who has one, and one more with its offer ready for the next to come. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #watchers = new Map<string, Watcher>();
  /** There are no more. */
  readonly most = meshViewers(MOST_VIEWERS);
  #spare: Watcher | null = null;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    options.media.life.bind(() => this.close());
  }

  /** By viewer. */
  get all(): ReadonlyMap<string, Watcher> {
    return this.#watchers;
  }

  get media(): MediaPeer[] {
    return [...this.#watchers.values()].map(({ media }) => media);
  }

  /** Gives that viewer a connection; null where there are no media workers. */
  give(viewer: string): Watcher | null {
    const { life, ice } = this.#options.media;
    const isOld = ({ since, ice: its }: Watcher) => life.clock.now() - since > SPARE_LIFE || its !== ice.ice;
    if (this.#spare !== null && isOld(this.#spare)) this.dropSpare();
    const watcher = this.#spare ?? this.#connection();
    this.#spare = null;
    if (watcher !== null) this.#watchers.set(viewer, watcher);
    return watcher;
  }

  /** The next to come is not to wait for a connection to be made, nor for its offer. */
  prepareNext(): void {
    if (this.#watchers.size < this.most) this.#spare ??= this.#connection();
  }

  dropSpare(): void {
    this.#spare?.media.close();
    this.#spare = null;
  }

  hangUp(viewer: string): void {
    this.#watchers.get(viewer)?.media.close();
    if (this.#watchers.delete(viewer)) this.#options.media.encoding.choose();
  }

  /** The network changed. */
  restart(): void {
    this.dropSpare();
    for (const { link } of this.media) link.restart();
  }

  close(): void {
    for (const viewer of [...this.#watchers.keys()]) this.hangUp(viewer);
    this.dropSpare();
  }

  #connection(): Watcher | null {
    const { media, devices, programme } = this.#options;
    const { parts } = media;
    if (parts === null) return null;
    const watcher: Watcher = new Watcher({
      parts,
      stream: programme.stream,
      sound: () => ({ packetMs: PACKET, transmission: devices.hidesSpeech ? "constant" : "continuous" }),
      track: (source) => programme.track(source),
      breached: (breach) => {
        const viewer = this.#viewerOf(watcher);
        if (viewer !== null) this.#options.breached(viewer, breach);
      },
      changed: () => this.#changed(watcher),
    });
    return watcher;
  }

  #changed(watcher: Watcher): void {
    // The network changed, and the offer that waits names what was there before.
    if (watcher.media.state === "reconnecting") this.dropSpare();
    this.#options.changed(watcher, this.#viewerOf(watcher));
  }

  #viewerOf(watcher: Watcher): string | null {
    return [...this.#watchers].find(([, theirs]) => theirs === watcher)?.[0] ?? null;
  }
}
