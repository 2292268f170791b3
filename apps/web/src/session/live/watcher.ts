import { toBase64url } from "@sealcast/bytes";
import type { MediaPool } from "@sealcast/media";
import {
  type Breach,
  type LineSource,
  type LinkState,
  PeerLink,
  type Signal,
  type SoundFormat,
} from "@sealcast/network";
import type { ProvenLine } from "../audit/browser-counters.ts";
import { kindOf, negotiable } from "../peer/codecs.ts";
import { Outgoing } from "../peer/outgoing.ts";
import { parseShown } from "../peer/shown.ts";

/** A first picture takes a tenth of a second at the little that browsers begin with. A way that carries less is found out in a second. */
const START_KBIT_PER_S = 1_000;

export interface WatcherOptions {
  readonly iceServers: RTCIceServer[];
  readonly pool: MediaPool;
  readonly stream: MediaStream;
  sound(): SoundFormat;
  track(source: LineSource): MediaStreamTrack | null;
  /** They asked about time, or answered. */
  timing(body: Uint8Array): void;
  breached(breach: Breach): void;
  addressRefused(): void;
  changed(): void;
}

interface WatcherLine extends ProvenLine {
  readonly outgoing: Outgoing;
}

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
  /** When it was made, in milliseconds of performance.now(). */
  readonly since = performance.now();
  readonly lines: WatcherLine[] = [];
  readonly link: PeerLink;
  readonly #options: WatcherOptions;
  /** Null while it is nobody's. */
  #viewer: Newcomer | null = null;
  /** Said before there was anybody to hear it. */
  readonly #early: Signal[] = [];
  #once = false;
  /** Signatures have to reach them before frames do. */
  #isOpen = false;
  /** Null: they get no video. Undefined until one is chosen. */
  #codec: string | null | undefined;
  #state: LinkState = "connecting";

  constructor(options: WatcherOptions) {
    this.#options = options;
    const { iceServers, stream, sound } = options;
    this.link = new PeerLink(
      { caller: true, direction: "sendonly", iceServers, stream, sound, startBitrate: START_KBIT_PER_S },
      {
        signal: (signal) => this.#signal(signal),
        line: (transceiver, source) => this.#line(transceiver, source),
        state: (state) => this.#linked(state),
        opened: () => this.#opened(),
        heard: (kind, body) => {
          if (kind === "timing") options.timing(body);
          if (kind === "shown") this.#shown(body);
        },
        breached: options.breached,
        addressRefused: options.addressRefused,
      },
    );
  }

  get name(): string {
    return this.#viewer?.name ?? "";
  }

  get state(): LinkState {
    return this.#state;
  }

  /** The connection is this viewer's from now on. */
  meet(viewer: Newcomer): void {
    this.#viewer = viewer;
    for (const signal of this.#early.splice(0)) viewer.signal(signal);
  }

  /** Signatures of frames that this viewer gets. */
  sign(batch: Uint8Array): void {
    this.link.say("signatures", batch);
  }

  /** In which the picture goes there; null where none does, undefined until that is chosen. */
  get codec(): string | null | undefined {
    return this.#codec;
  }

  /** Null: no picture goes there from now on. */
  async encodeAs(codec: string | null): Promise<void> {
    const isOther = (codec === null) !== (this.#codec === null);
    this.#codec = codec;
    if (isOther) await this.refresh();
    await this.#encode();
  }

  async #encode(): Promise<void> {
    const codec = this.#codec;
    if (typeof codec !== "string") return;
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
    const { pool } = this.#options;
    const sent = pool.seal(transceiver.sender, kind, source, (batch) => this.sign(batch));
    const outgoing = new Outgoing(transceiver.sender, sent, {
      fanOut: pool.fanOuts.camera,
      way: () => this.#way(source),
      track: () => this.#track(source),
    });
    this.lines.push({ source, kind, transceiver, sent, received: null, outgoing });
    transceiver.setCodecPreferences(negotiable(kind));
  }

  #signal(signal: Signal): void {
    if (this.#viewer === null) this.#early.push(signal);
    else this.#viewer.signal(signal);
  }

  #track(source: LineSource): MediaStreamTrack | null {
    const isWanted = source === "camera" ? this.#codec !== null : this.#viewer?.listens();
    return isWanted ? this.#options.track(source) : null;
  }

  #way(source: LineSource): "own" | "shared" | "unchanged" {
    if (!this.#isOpen || this.link.connection.signalingState === "closed") return "unchanged";
    return source === "camera" && this.#once && this.#codec !== null ? "shared" : "own";
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
    void this.#encode();
    this.#options.changed();
  }
}
