import { type Cancel, type Milli, milli } from "@sealcast/time";
import type { MediaSession } from "../media-session.ts";
import type { EncodedFor, Receiver, Receivers } from "../peer/picture-encoding.ts";
import type { Connections } from "./connections.ts";
import type { KnownViewer, KnownViewers } from "./known-viewers.ts";
import { type FromHost, relayedCodec, type StreamWay } from "./messages.ts";
import { placeFor } from "./places.ts";
import type { RelayPublishing } from "./relay-publishing.ts";

/** What stands for all who watch over relays, where the codec is chosen. No viewer is called so. */
const RELAY = "relay";
/** Nothing goes to a viewer who watches over relays but what goes there. */
const NOBODY: EncodedFor = {
  isLinked: false,
  codec: undefined,
  encodeAs: async () => undefined,
  encodeOnce: async () => undefined,
};

/** By what the first who watches over relays has a say: a connection beside them may decode something else. */
const voteOf = (viewer: string) => `${RELAY} ${viewer}`;

interface StreamWaysOptions {
  media: MediaSession;
  known: KnownViewers;
  connections: Connections;
  relay: RelayPublishing;
  /** What a viewer is called. */
  name(number: number): string;
  /** Most bits per second of the picture, where it is encoded for one viewer. */
  limit(): number;
  tell(viewer: string, message: FromHost): void;
  /** What a viewer's page shows beside the picture. */
  tellState(viewer: string): void;
}

/** How the stream goes to each viewer: over a connection as long as there is room, over relays where there are any. */
export class StreamWays {
  readonly #options: StreamWaysOptions;
  /** Those who watch over relays, the first to do so first. */
  readonly #relayed = new Set<string>();
  #stopWaiting: Cancel = () => undefined;

  constructor(options: StreamWaysOptions) {
    this.#options = options;
    options.media.life.bind(() => this.#stopWaiting());
  }

  /**
   * What the picture is encoded for. To relays it goes in the codec that serves most, whatever plays at anybody there. The first who
   * watches there has a say in which that is, like who has a connection: it may be the only viewer.
   */
  get receivers(): Receivers {
    const { connections, relay } = this.#options;
    const decodes = (id: string) => this.#known.get(id)?.decodes ?? null;
    const receivers = new Map<string, Receiver>();
    for (const [id, { media }] of connections.all) receivers.set(id, { decodes: decodes(id), peer: media });
    const [first] = this.#relayed;
    if (first === undefined) return receivers;
    receivers.set(voteOf(first), { decodes: this.#plays(first), peer: NOBODY });
    return receivers.set(RELAY, { decodes: null, peer: relay });
  }

  /** To whom the stream goes the one way or the other. */
  get served(): ReadonlySet<string> {
    return new Set([...this.#options.connections.all.keys(), ...this.#relayed]);
  }

  /** There is a way to that viewer, as far as is known. */
  has(viewer: string): boolean {
    const isRelayed = this.#known.get(viewer)?.isRelayed ?? false;
    return this.#options.connections.all.has(viewer) || (isRelayed && this.hasRelays);
  }

  /** Viewers find the stream at relays, as far as is known. */
  get hasRelays(): boolean {
    const { isOffered, offer } = this.#options.relay;
    return isOffered && offer?.type !== "full";
  }

  /** Some watch over relays, so that the stream goes there. */
  get isRelayed(): boolean {
    return this.#relayed.size > 0;
  }

  /** In the place of a connection that does not come about. False: nothing plays there now, so that the connection goes on being tried. */
  leaveConnection(viewer: string): boolean {
    return this.hasRelays && this.#relay(viewer);
  }

  /** `unreached`: the way that does not come about. False: there is no room for this viewer now. */
  send(viewer: string, unreached?: StreamWay): boolean {
    if (unreached === "connection" && this.hasRelays && this.#relay(viewer)) return true;
    return this.#connect(viewer) || this.#relay(viewer);
  }

  /** There may be room again for those who wait, and then for those who watch over relays. */
  letIn(): void {
    const { connections } = this.#options;
    for (const [viewer, known] of this.#known) {
      if (!this.#waits(viewer, known)) continue;
      const isSent = known.isRelayed ? this.#connect(viewer) : this.send(viewer);
      // Who comes after one that lacks the relays' codec may have it.
      if (!isSent && !this.hasRelays) return;
    }
    for (const [viewer, { seesRelayed, isUnreached }] of this.#known) {
      if (connections.all.size >= connections.most) return;
      if (seesRelayed && !isUnreached && !connections.all.has(viewer)) this.#connect(viewer);
    }
  }

  /** The stream is to be had over relays, in another codec, or not any more. */
  relayChanged(): void {
    for (const viewer of [...this.#relayed]) {
      // Without relays, a connection that is being made is what they have from now on.
      const stays = this.hasRelays || !this.#options.connections.all.has(viewer);
      if (stays && this.#playsRelayed(viewer)) this.#tellRelay(viewer);
      else this.#unrelay(viewer);
    }
    this.letIn();
  }

  /** They say whether they see what comes over relays. Who has a connection keeps that until the connection has taken its place. */
  seesRelayed(viewer: string, known: KnownViewer, { shown, late = false }: { shown: boolean; late?: boolean }): void {
    const { connections, media } = this.#options;
    known.isLate = late;
    if (shown) known.seesRelayed = known.isRelayed;
    else if (known.isRelayed && connections.all.has(viewer)) {
      this.#leaveRelay(viewer, known);
      media.encoding.choose();
    }
  }

  /** Nothing goes to these viewers any more. */
  end(...viewers: readonly string[]): void {
    const { connections, media } = this.#options;
    if (viewers.length === 0) return;
    for (const viewer of viewers) this.#leaveRelay(viewer, this.#known.get(viewer));
    media.encoding.choose();
    for (const viewer of viewers) connections.hangUp(viewer);
    this.letIn();
  }

  /** Nobody is known any more. */
  clear(): void {
    this.#relayed.clear();
  }

  get #known(): ReadonlyMap<string, KnownViewer> {
    return this.#options.known.all;
  }

  #waits(viewer: string, { is, decodes, breach }: KnownViewer): boolean {
    return is === "watching" && decodes !== null && breach === null && !this.has(viewer);
  }

  /** False: this viewer cannot be told to watch over relays. */
  #relay(viewer: string): boolean {
    const { relay, media, connections, known, tellState } = this.#options;
    const its = known.of(viewer);
    const { decodes, breach } = its;
    if (!relay.isOffered || decodes === null || breach !== null) return false;
    const wait = this.#untilRelayed(viewer);
    if (wait !== 0) {
      if (wait !== null) this.#letInAfter(wait);
      return false;
    }
    its.isRelayed = true;
    its.seesRelayed = false;
    this.#relayed.add(viewer);
    // In which codec it goes there is settled before it does; a connection has no say in it any more.
    if (connections.all.has(viewer)) connections.hangUp(viewer);
    else media.encoding.choose();
    this.#wantRelay();
    tellState(viewer);
    this.#tellRelay(viewer);
    return true;
  }

  /** How long until it can go there in a codec that plays at this viewer; null: it does not. */
  #untilRelayed(viewer: string): Milli | null {
    if (this.isRelayed) return this.#playsRelayed(viewer) ? milli(0) : null;
    const plays = this.#plays(viewer);
    if (!plays.some((codec) => relayedCodec(codec) !== null)) return null;
    const { codec, wait } = this.#options.media.encoding.with(voteOf(viewer), plays, viewer);
    return codec !== null && relayedCodec(codec) !== null && plays.includes(codec) ? wait : null;
  }

  #letInAfter(wait: Milli): void {
    this.#stopWaiting();
    this.#stopWaiting = this.#options.media.life.clock.after(wait, () => this.letIn());
  }

  /** As far as it is known in which codec the picture goes there. */
  #playsRelayed(viewer: string): boolean {
    const { codec } = this.#options.relay;
    return typeof codec !== "string" || this.#plays(viewer).includes(codec);
  }

  #plays(viewer: string): readonly string[] {
    return this.#known.get(viewer)?.plays ?? [];
  }

  /** What goes over relays is of no use to this viewer. Where a connection is being made, that is their way. */
  #unrelay(viewer: string): void {
    const { known, connections, tell } = this.#options;
    this.#leaveRelay(viewer, known.of(viewer));
    if (!connections.all.has(viewer)) tell(viewer, { type: "full" });
  }

  /** `known`: undefined where the viewer has been forgotten. */
  #leaveRelay(viewer: string, known: KnownViewer | undefined): void {
    this.#relayed.delete(viewer);
    if (known !== undefined) Object.assign(known, { isRelayed: false, seesRelayed: false });
    this.#wantRelay();
  }

  #wantRelay(): void {
    this.#options.relay.want(this.isRelayed);
  }

  #tellRelay(viewer: string): void {
    const { relay, known, tell } = this.#options;
    if (relay.offer === null) return;
    if (relay.offer.type === "full") known.of(viewer).seesRelayed = false;
    tell(viewer, relay.offer);
  }

  /** False: there is no room for a connection to this viewer now. */
  #connect(viewer: string): boolean {
    const { known, connections, media, name, limit, tell, tellState } = this.#options;
    const its = known.of(viewer);
    const holders = [...connections.all.keys()].map((id) => [id, this.#known.get(id)?.isProven ?? false] as const);
    const place = placeFor(its.isProven, new Map(holders), connections.most);
    if (place === null) return false;
    if (place.is === "taken") connections.hangUp(place.from);
    const watcher = connections.give(viewer);
    if (watcher === null) return false;
    // What they see over relays goes on until the connection has taken its place.
    if (!its.seesRelayed) this.#leaveRelay(viewer, its);
    void watcher.media.limit(limit());
    tellState(viewer);
    watcher.meet({
      name: name(its.number),
      listens: () => this.#known.get(viewer)?.listens ?? false,
      signal: (signal) => tell(viewer, { type: "signal", link: watcher.id, signal }),
    });
    media.encoding.choose();
    return true;
  }
}
