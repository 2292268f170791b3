import type { Breach } from "@sealcast/network";
import { type Milli, milli, TokenBucket } from "@sealcast/time";
import type { Samples } from "../audit/encryption-audit.ts";
import { PAGE_BUDGETS } from "../budgets.ts";
import { computerTime, type TimingAnswer } from "../measuring/timing.ts";
import type { MediaSession } from "../media-session.ts";
import { MediaPeer } from "../peer/media-peer.ts";
import type { Shown } from "../peer/shown.ts";
import { UNREACHED_AFTER } from "../peer/unreached.ts";
import { type Buffering, HELD_BACK } from "./buffering.ts";
import type { FromHost, FromViewer, StreamWay } from "./messages.ts";
import { hasPlayed, Playing } from "./playing.ts";
import { HOST_LEAF, RelayedStream } from "./relayed-stream.ts";
import { StreamWorkers } from "./stream-workers.ts";

export interface HostConnectionView {
  stream: MediaStream;
  /** What the picture is drawn on where it is none of `stream`. */
  canvas: HTMLCanvasElement | null;
  /** It comes over relays. */
  isRelayed: boolean;
  /** About how long from the host's sealed frame, or over relays from its encoder, to this screen, milliseconds; null before it is known. */
  latency: number | null;
}

/** As long as there is no way to the host's picture. */
export const noPicture = (): HostConnectionView => ({
  ...{ stream: new MediaStream(), canvas: null, isRelayed: false, latency: null },
});

/** Where the stream may come over relays instead, nobody waits longer for a connection that never was. */
const CONNECTED_WITHIN = milli(8_000);

interface HostConnectionOptions {
  media: MediaSession;
  /** What the host is called. */
  host: string;
  buffering(): Buffering;
  tell(message: FromViewer): void;
  /** Asks the server for access to relays. */
  askRelay(): void;
  /** This way does not come about. */
  unreached(way: StreamWay): void;
  show(change: Partial<HostConnectionView> & { isUnreached?: boolean }): void;
  /** How the connection stands changed, or there is none any more. */
  changed(): void;
}

/** A connection, and its name as the host says it. */
interface Linked {
  readonly media: MediaPeer;
  readonly link: string;
  /** When it was begun. */
  readonly since: Milli;
}

/**
 * A viewer's way to the host's picture: one connection after the other, as the host offers them. What plays over relays plays on
 * until a connection that takes its place has a picture.
 */
export class HostConnection {
  readonly #options: HostConnectionOptions;
  readonly #messages: TokenBucket;
  readonly #connections: TokenBucket;
  readonly #workers = new StreamWorkers();
  #connection: Linked | null = null;
  /** Where there is no connection. */
  #relayed: RelayedStream | null = null;
  /** The connection that is to take the place of what comes over relays. */
  #next: Linked | null = null;
  #playing: Playing;
  /** When there last was a way, or none was to be. */
  #reachedAt: Milli;
  /** When the present one was begun, or was last said not to come about. */
  #begunAt: Milli;
  /** With which of the relays the next way over them begins, counted on and on. */
  #relay = 0;
  #isClosed = false;
  #hasRelays = false;
  #listens = false;
  #volume = 1;
  #shown: Shown | null = null;
  #isRecorded = false;

  constructor(options: HostConnectionOptions) {
    this.#options = options;
    const { clock } = options.media.life;
    this.#messages = new TokenBucket(PAGE_BUDGETS.messages, clock);
    this.#connections = new TokenBucket(PAGE_BUDGETS.connections, clock);
    this.#playing = new Playing(clock);
    this.#reachedAt = clock.now();
    this.#begunAt = clock.now();
    options.media.life.bind(() => {
      for (const { media } of this.#linked) media.close();
      this.#relayed?.close();
      this.#workers.drop();
    });
  }

  /** Over which the stream plays, or is to. Null while there is none. */
  get peer(): MediaPeer | null {
    return this.#connection?.media ?? null;
  }

  /** That one, and the one that is to take the place of what comes over relays. */
  get peers(): MediaPeer[] {
    return this.#linked.map(({ media }) => media);
  }

  /** Over relays; null while that is not the way. */
  get relayed(): RelayedStream | null {
    return this.#relayed;
  }

  /** What comes over relays is shown, as far as is known. */
  get showsRelayed(): boolean {
    return this.#relayed !== null && this.#playing.hasPlayed;
  }

  /** Either of the two. */
  get way(): Pick<MediaPeer, "state" | "verdict" | "wasLost"> | null {
    return this.peer ?? this.#relayed;
  }

  /** Of the present connection. */
  get playing(): Playing {
    return this.#playing;
  }

  /** The host's page sent too much, or what none sends: nothing is taken from it until the person tries again. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether the sound is played here. */
  get listens(): boolean {
    return this.#listens;
  }

  /** What is heard of the host, as a track; null where nothing is. */
  get sound(): MediaStreamTrack | null {
    return this.#relayed === null ? (this.peer?.incoming.stream.getAudioTracks()[0] ?? null) : this.#relayed.sound;
  }

  /** As long as that is so, what comes also goes on while the page is hidden. */
  set isRecorded(isRecorded: boolean) {
    this.#isRecorded = isRecorded;
    if (this.#relayed !== null) this.#relayed.isRecorded = isRecorded;
  }

  /** Signatures were lost with the way, or may have been. */
  get isExplained(): boolean {
    return this.way?.wasLost === true || this.#playing.wasSilent;
  }

  /** Whether a way to the host comes about, once a reading. `isSent`, `isPictureSent`: to this page, now. */
  examine(samples: Samples, { isSent, isPictureSent }: { isSent: boolean; isPictureSent: boolean }): void {
    const { show, unreached, media } = this.#options;
    const now = media.life.clock.now();
    this.#playing.examine(samples, isSent);
    if (this.#next !== null) this.#examineNext(this.#next, samples, isPictureSent);
    if (this.#relayed !== null) this.#relayed.isSent = isSent;
    if (this.way === null || this.#isReached(isSent)) this.#reachedAt = now;
    const isUnreached = now - this.#reachedAt >= UNREACHED_AFTER;
    show({ isUnreached });
    const patience = this.#hasRelays && this.peer?.state === "connecting" ? CONNECTED_WITHIN : UNREACHED_AFTER;
    if (now - Math.max(this.#reachedAt, this.#begunAt) < patience) return;
    this.#begunAt = now;
    this.#relayed?.leave();
    unreached(this.#connection === null ? "relay" : "connection");
  }

  /** Whether the server has relays: until the host says whether the stream comes over them there is time to start what that takes. */
  set hasRelays(hasRelays: boolean) {
    this.#hasRelays = hasRelays;
    if (hasRelays && this.way === null) this.#workers.start();
  }

  listen(on: boolean): void {
    this.#listens = on;
    for (const { incoming } of this.peers) incoming.listen(on);
    this.#relayed?.listen(on);
  }

  /** Of what comes over relays, 0 to 1: a connection's sound is the screen's. */
  turnTo(volume: number): void {
    this.#volume = volume;
    if (this.#relayed !== null) this.#relayed.volume = volume;
  }

  shows(shown: Shown): void {
    this.#shown = shown;
    for (const peer of this.peers) peer.show(shown);
    this.#relayed?.show(shown);
  }

  buffer(buffering: Buffering): void {
    for (const peer of this.peers) peer.buffer(HELD_BACK[buffering]);
    this.#relayed?.buffer(buffering);
  }

  /** Whether the host's next message counts. */
  takesMessage(): boolean {
    if (!this.#isClosed && this.#messages.take() < 0) this.#breached("flood");
    return !this.#isClosed;
  }

  /** What the host says comes in its order: the connection that was offered last is the one that counts. */
  receive({ link, signal }: Extract<FromHost, { type: "signal" }>): void {
    const isOffer = signal.type === "description" && signal.description.type === "offer";
    const isKnown = this.#linked.some((one) => one.link === link);
    if (isOffer && !isKnown) {
      if (this.#connections.take() < 0) return this.#breached("flood");
      this.#meet(link);
    }
    this.#linked.find((one) => one.link === link)?.media.link.receive(signal);
  }

  /** What the host measured of what goes to relays. */
  timed(message: TimingAnswer): void {
    this.#relayed?.told(message, computerTime());
  }

  /** The host says that the stream is to be had over relays, its picture in this codec and these sizes. */
  relay({ codec, sizes }: Extract<FromHost, { type: "relay" }>): void {
    const { media, buffering, askRelay, tell, show, changed } = this.#options;
    if (this.#relayed?.codec === codec && this.#relayed.verdict !== "forged") {
      this.tellRelayed();
      return this.#relayed.offered(sizes);
    }
    if (this.#connections.take() < 0) return this.#breached("flood");
    this.#stop();
    this.#relayed = new RelayedStream({
      ...{ media, workers: this.#workers },
      ...{ codec, buffering: buffering(), begin: this.#relay, ask: askRelay, changed: () => this.#judged() },
      askTiming: (message, frames) => tell({ type: "timing", message, frames }),
      shows: ({ stream, element }) =>
        show({
          stream: stream ?? new MediaStream(),
          canvas: element instanceof HTMLCanvasElement ? element : null,
        }),
      played: () => {
        this.#playing.played();
        this.tellRelayed();
        changed();
      },
      late: () => this.tellRelayed(),
    });
    this.#relayed.listen(this.#listens);
    this.#relayed.volume = this.#volume;
    this.#relayed.isRecorded = this.#isRecorded;
    this.#relayed.offered(sizes);
    if (this.#shown !== null) this.#relayed.show(this.#shown);
    show({ isRelayed: true });
  }

  /** To the host, that what comes over relays is shown, and whether it is late; nothing where it is not shown. */
  tellRelayed(): void {
    if (!this.showsRelayed) return;
    this.#options.tell({ type: "relayed", shown: true, ...(this.#relayed?.isLate && { late: true }) });
  }

  /** Whatever was wrong with the last connection, the host is listened to again. */
  reopen(): void {
    this.#isClosed = false;
    this.hangUp();
  }

  hangUp(): void {
    this.#dropNext();
    this.#stop();
  }

  get #linked(): Linked[] {
    return [this.#connection, this.#next].filter((one) => one !== null);
  }

  /** What plays, or was to. */
  #stop(): void {
    this.peer?.close();
    this.#connection = null;
    if (this.#relayed !== null && this.#relayed.verdict !== "signed") this.#relay += 1;
    this.#relayed?.close();
    this.#relayed = null;
    this.#playing = new Playing(this.#options.media.life.clock);
    this.#begunAt = this.#options.media.life.clock.now();
    this.#options.show(noPicture());
    this.#options.changed();
  }

  #dropNext(): void {
    this.#next?.media.close();
    this.#next = null;
  }

  /** It takes the relays' place once it has what is sent; where it does not come about, they stay. */
  #examineNext(next: Linked, { samples }: Samples, isPictureSent: boolean): void {
    const { state, verdict } = next.media;
    const isAwaited = isPictureSent && !next.media.rests("camera");
    const hasPicture = hasPlayed(samples.filter(([{ peer, line }]) => peer === next.media && line.kind === "video"));
    if (state === "connected" && verdict === "signed" && (hasPicture || !isAwaited)) return this.#take(next);
    if (this.#options.media.life.clock.now() - next.since < UNREACHED_AFTER) return;
    this.#dropNext();
    this.#options.unreached("connection");
  }

  /** It plays from here on, in the place of what came over relays. */
  #take(next: Linked): void {
    const { tell, show, changed } = this.#options;
    this.#stop();
    this.#next = null;
    this.#connection = next;
    this.#playing.played();
    tell({ type: "relayed", shown: false });
    show({ stream: next.media.incoming.stream });
    changed();
  }

  /** A relay may have nothing of the stream. */
  #isReached(isSent: boolean): boolean {
    return this.way?.state === "connected" && (this.#relayed === null || this.#playing.opens || !isSent);
  }

  #meet(link: string): void {
    const { media, host, buffering, tell, show } = this.#options;
    const { parts } = media;
    if (parts === null) return;
    const playsOn = this.showsRelayed;
    this.#workers.drop();
    if (!playsOn && this.#relayed !== null) tell({ type: "relayed", shown: false });
    if (playsOn) this.#dropNext();
    else this.hangUp();
    const peer: MediaPeer = new MediaPeer({
      ...{ direction: "recvonly", isCaller: false, isSigned: true, leaf: HOST_LEAF, stream: new MediaStream() },
      parts,
      listens: this.#listens,
      name: () => host,
      track: () => null,
      signal: (signal) => tell({ type: "signal", link, signal }),
      breached: (breach) => this.#breached(breach),
      changed: () => this.#linkChanged(peer),
    });
    peer.buffer(HELD_BACK[buffering()]);
    if (this.#shown !== null) peer.show(this.#shown);
    const linked = { media: peer, link, since: media.life.clock.now() };
    if (playsOn) this.#next = linked;
    else {
      this.#connection = linked;
      show({ stream: peer.incoming.stream });
    }
  }

  #breached(breach: Breach): void {
    this.#isClosed = true;
    this.#options.media.drop(breach);
    this.hangUp();
  }

  #linkChanged(peer: MediaPeer): void {
    if (peer === this.peer) this.#judged();
  }

  #judged(): void {
    // Of a picture that nobody vouches for nothing stays on the screen.
    if (this.way?.verdict === "forged") this.#options.show({ stream: new MediaStream(), canvas: null });
    this.#options.changed();
  }
}
