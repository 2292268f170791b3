import type { MediaPool } from "@sealcast/media";
import { type LineSource, type LinkState, PeerLink, type Signal, type Sound } from "@sealcast/network";
import { kindOf, negotiable } from "../codecs.ts";
import type { ProvenLine } from "../counted.ts";
import { Outgoing } from "../outgoing.ts";
import { parseShown } from "../shown.ts";

export interface WatcherOptions {
  readonly iceServers: RTCIceServer[];
  readonly pool: MediaPool;
  readonly stream: MediaStream;
  sound(): Sound;
  track(source: LineSource): MediaStreamTrack | null;
  signal(signal: Signal): void;
  /** They asked about time, or answered. */
  timing(body: Uint8Array): void;
  changed(): void;
}

interface WatcherLine extends ProvenLine {
  readonly outgoing: Outgoing;
}

/** The host's end of one connection to one viewer: it sends only, and signs all that it sends. */
export class Watcher {
  /** What the host calls them. */
  readonly name: string;
  readonly number: number;
  readonly lines: WatcherLine[] = [];
  readonly link: PeerLink;
  readonly #options: WatcherOptions;
  #once = false;
  /** Signatures have to reach them before frames do. */
  #isOpen = false;
  #codec: string | null = null;
  #state: LinkState = "connecting";

  /** `number` is the connection's. */
  constructor(name: string, number: number, options: WatcherOptions) {
    this.name = name;
    this.number = number;
    this.#options = options;
    const { iceServers, stream, sound, signal } = options;
    this.link = new PeerLink(
      { caller: true, direction: "sendonly", iceServers, stream, sound },
      {
        signal,
        line: (transceiver, source) => this.#line(transceiver, source),
        state: (state) => this.#linked(state),
        opened: () => this.#opened(),
        heard: (kind, body) => {
          if (kind === "timing") options.timing(body);
          if (kind === "shown") this.#shown(body);
        },
      },
    );
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Signatures of frames that this viewer gets. */
  sign(batch: Uint8Array): void {
    this.link.say("signatures", batch);
  }

  async encodeAs(codec: string): Promise<void> {
    this.#codec = codec;
    const pictures = this.lines.filter(({ kind }) => kind === "video");
    await Promise.all(pictures.map(({ outgoing }) => outgoing.encodeAs(codec)));
  }

  /** Whether the picture comes from the one encoder that works for all, or is encoded on this link. */
  async encodeOnce(once: boolean): Promise<void> {
    if (once === this.#once) return;
    this.#once = once;
    await this.refresh();
  }

  /** Bits per second that the picture takes at most where it is encoded on this link. */
  async limit(bitsPerSecond: number): Promise<void> {
    const pictures = this.lines.filter(({ kind }) => kind === "video");
    await Promise.all(pictures.map(({ outgoing }) => outgoing.limit(bitsPerSecond)));
  }

  async refresh(): Promise<void> {
    await Promise.all(this.lines.map(({ outgoing }) => outgoing.feed()));
  }

  close(): void {
    this.link.close();
    for (const { outgoing } of this.lines) outgoing.close();
  }

  /** The transform is set in the task that made the line. Nothing comes back on it: what would is held by no transform. */
  #line(transceiver: RTCRtpTransceiver, source: LineSource): void {
    const kind = kindOf(source);
    const { pool, track } = this.#options;
    const sent = pool.seal(transceiver.sender, kind, source, (batch) => this.sign(batch));
    const outgoing = new Outgoing(transceiver.sender, sent, {
      fanOut: pool.fanOuts.camera,
      way: () => this.#way(source),
      track: () => track(source),
    });
    this.lines.push({ source, kind, transceiver, sent, received: null, outgoing });
    transceiver.setCodecPreferences(negotiable(kind));
  }

  #way(source: LineSource): "own" | "shared" | "unchanged" {
    if (!this.#isOpen || this.link.connection.signalingState === "closed") return "unchanged";
    return source === "camera" && this.#once ? "shared" : "own";
  }

  #shown(body: Uint8Array): void {
    const shown = parseShown(body);
    if (shown === null) return;
    for (const { source, outgoing } of this.lines) if (source === shown.source) outgoing.shownAs(shown);
  }

  #opened(): void {
    this.#isOpen = true;
    void this.refresh();
  }

  #linked(state: LinkState): void {
    this.#state = state;
    if (state === "connected") void this.refresh();
    if (this.#codec !== null) void this.encodeAs(this.#codec);
    this.#options.changed();
  }
}
