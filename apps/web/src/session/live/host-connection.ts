import type { Breach } from "@sealcast/network";
import { TokenBucket } from "@sealcast/time";
import { PAGE_BUDGETS } from "../budgets.ts";
import type { MediaSession } from "../media-session.ts";
import { MediaPeer } from "../peer/media-peer.ts";
import type { Shown } from "../peer/shown.ts";
import { Unreached } from "../peer/unreached.ts";
import { type Buffering, HELD_BACK } from "./buffering.ts";
import type { FromHost, FromViewer } from "./messages.ts";
import { Playing } from "./playing.ts";

/** The host is the one leaf of a stream. */
const HOST_LEAF = 0;

interface HostConnectionOptions {
  media: MediaSession;
  /** What the host is called. */
  host: string;
  buffering(): Buffering;
  tell(message: FromViewer): void;
  show(change: { stream?: MediaStream; latency?: null; isUnreached?: boolean }): void;
  /** How the connection stands changed, or there is none any more. */
  changed(): void;
}

/** A viewer's way to the host's picture: one connection after the other, as the host offers them. */
export class HostConnection {
  readonly #options: HostConnectionOptions;
  readonly #messages: TokenBucket;
  readonly #connections: TokenBucket;
  /** The connection, and its name as the host says it. */
  #peer: MediaPeer | null = null;
  #id: string | null = null;
  #playing: Playing;
  readonly #unreached: Unreached<MediaPeer>;
  #isClosed = false;
  #listens = false;
  #shown: Shown | null = null;

  constructor(options: HostConnectionOptions) {
    this.#options = options;
    const { clock } = options.media.life;
    this.#messages = new TokenBucket(PAGE_BUDGETS.messages, clock);
    this.#connections = new TokenBucket(PAGE_BUDGETS.connections, clock);
    this.#playing = new Playing(clock);
    this.#unreached = new Unreached(clock);
    options.media.life.bind(() => this.#peer?.close());
  }

  /** Null while there is none. */
  get peer(): MediaPeer | null {
    return this.#peer;
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

  /** Signatures were lost with the way, or may have been. */
  get isExplained(): boolean {
    return this.#peer?.wasLost === true || this.#playing.wasSilent;
  }

  /** Whether a way to the host comes about, once a reading. */
  examine(): void {
    const isUnreached = this.#unreached.examine(this.#peer === null ? [] : [this.#peer]).length > 0;
    this.#options.show({ isUnreached });
  }

  listen(on: boolean): void {
    this.#listens = on;
    this.#peer?.incoming.listen(on);
  }

  shows(shown: Shown): void {
    this.#shown = shown;
    this.#peer?.show(shown);
  }

  /** Whether the host's next message counts. */
  takesMessage(): boolean {
    if (!this.#isClosed && this.#messages.take() < 0) this.#breached("flood");
    return !this.#isClosed;
  }

  /** What the host says comes in its order: the connection that was offered last is the one that counts. */
  receive({ link, signal }: Extract<FromHost, { type: "signal" }>): void {
    const isOffer = signal.type === "description" && signal.description.type === "offer";
    if (isOffer && link !== this.#id) {
      if (this.#connections.take() < 0) return this.#breached("flood");
      this.#meet(link);
    }
    if (link === this.#id) this.#peer?.link.receive(signal);
  }

  /** Whatever was wrong with the last connection, the host is listened to again. */
  reopen(): void {
    this.#isClosed = false;
    this.hangUp();
  }

  hangUp(): void {
    this.#peer?.close();
    this.#peer = null;
    this.#id = null;
    this.#playing = new Playing(this.#options.media.life.clock);
    this.#options.show({ stream: new MediaStream(), latency: null });
    this.#options.changed();
  }

  #meet(link: string): void {
    const { media, host, buffering, tell, show } = this.#options;
    const { parts } = media;
    if (parts === null) return;
    this.hangUp();
    const peer: MediaPeer = new MediaPeer({
      ...{ direction: "recvonly", isCaller: false, isSigned: true, leaf: HOST_LEAF, stream: new MediaStream() },
      parts,
      listens: this.#listens,
      name: () => host,
      track: () => null,
      signal: (signal) => tell({ type: "signal", link, signal }),
      breached: (breach) => this.#breached(breach),
      changed: () => this.#linked(peer),
    });
    peer.buffer(HELD_BACK[buffering()]);
    if (this.#shown !== null) peer.show(this.#shown);
    this.#peer = peer;
    this.#id = link;
    show({ stream: peer.incoming.stream });
  }

  #breached(breach: Breach): void {
    this.#isClosed = true;
    this.#options.media.drop(breach);
    this.hangUp();
  }

  #linked(peer: MediaPeer): void {
    if (peer !== this.#peer) return;
    // Of a picture that nobody vouches for nothing stays on the screen.
    if (peer.isForged) this.#options.show({ stream: new MediaStream() });
    this.#options.changed();
  }
}
