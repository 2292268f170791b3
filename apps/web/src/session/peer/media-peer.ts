import type { VideoSource } from "@sealcast/frame";
import type { Attachment, FanOutReport, MediaPool, Verdict } from "@sealcast/media";
import {
  type Breach,
  type ChannelKind,
  type FileEvents,
  type Ice,
  kindOf,
  type LineSource,
  type LinkState,
  PeerLink,
  type Signal,
  type SoundFormat,
} from "@sealcast/network";
import type { Clock } from "@sealcast/time";
import { sayTiming, type TimedLine, type Timing, type TimingMessage } from "../measuring/timing.ts";
import { negotiable } from "./codecs.ts";
import { IncomingStreams } from "./incoming-streams.ts";
import { LinkShortage, readingOf } from "./link-shortage.ts";
import { LinkStats } from "./link-stats.ts";
import { Outgoing } from "./outgoing.ts";
import { parseShown, Showing, type Shown } from "./shown.ts";
import { Verdicts } from "./verdicts.ts";
import { VideoFlow } from "./video-flow.ts";

export type { Breach };

/** What all connections of a session have in common. */
export interface MediaParts {
  readonly clock: Clock;
  readonly pool: MediaPool;
  readonly timing: Pick<Timing, "heard" | "take">;
  readonly ice: Ice;
  addressRefused(): void;
}

export interface MediaPeerOptions {
  readonly parts: MediaParts;
  /** `sendonly` at a stream's host, `recvonly` at a viewer. */
  readonly direction: "sendrecv" | "sendonly" | "recvonly";
  /** This end makes the lines, and offers. */
  readonly isCaller: boolean;
  /** The other end's, whose frames are opened. */
  readonly leaf: number;
  /** Frames are signed: nothing is sent before signatures can be, and nothing opens that its sender did not sign. */
  readonly isSigned: boolean;
  /** What this end's tracks are said to belong to. */
  readonly stream: MediaStream;
  /** How the sound of a source is encoded that goes there. */
  sound?(source: LineSource): SoundFormat;
  /** Kilobits per second that the browser takes the way to carry at first; its own guess where it is not given. */
  readonly startBitrate?: number;
  /** What the other end is called now. */
  name(): string;
  /** The other end's sound is played here, as it is where this is not given. */
  readonly listens?: boolean;
  /** What of a source goes there now; null: nothing. */
  track(source: LineSource): MediaStreamTrack | null;
  signal(signal: Signal): void;
  /** From now on something can be said over the channel. */
  opened?(): void;
  /** The other end said something over the channel, other than of what is dealt with here: sizes, signatures, times. */
  heard?(kind: ChannelKind, body: Uint8Array): void;
  /** Files go over this connection. */
  readonly files?: FileEvents;
  /** The other end sends too much, or what none sends. */
  breached(breach: Breach): void;
  /** How the connection stands changed, or whether what comes over it is signed. */
  changed(): void;
}

/** One media line: a source going out, one coming in, or both. */
interface MediaLine extends TimedLine {
  readonly transceiver: RTCRtpTransceiver;
  readonly outgoing: Outgoing | null;
}

/** One connection that carries sealed media, and the other end as far as that tells of it. */
export class MediaPeer {
  readonly lines: MediaLine[] = [];
  readonly link: PeerLink;
  readonly stats: LinkStats;
  /** What comes of the other end, as it is played. */
  readonly incoming: IncomingStreams;
  /** Whether video goes each way, and why not. */
  readonly video: VideoFlow;
  readonly #options: MediaPeerOptions;
  readonly #shortage: LinkShortage;
  readonly #showing: Showing;
  /** By source: how large the other end shows this end's pictures, of which one may have no line yet. */
  readonly #shown = new Map<LineSource, Shown>();
  #state: LinkState = "connecting";
  #isClosed = false;
  #canSign = false;
  #isHeld = false;
  /** The other end gets it another way. */
  #isElsewhere = false;
  /** This end's picture is encoded once, for this one and others. */
  #once = false;
  /** Null: they get no video. Undefined until one is chosen. */
  #codec: string | null | undefined;
  /** Null: as the browser sees fit. */
  #bufferMs: number | null = null;
  readonly #verdicts: Verdicts;
  #wasLost = false;

  constructor(options: MediaPeerOptions) {
    this.#options = options;
    this.incoming = new IncomingStreams(options.listens ?? true);
    const { isCaller: caller, direction, parts, stream, sound, startBitrate } = options;
    this.#verdicts = new Verdicts(parts.clock, () => options.changed());
    this.#showing = new Showing((body) => this.link.say("shown", body), parts.clock);
    this.link = new PeerLink(
      {
        caller,
        direction,
        ice: parts.ice,
        stream,
        ...(sound && { sound }),
        ...(startBitrate && { startBitrate }),
      },
      {
        signal: options.signal,
        line: (transceiver, source) => this.#line(transceiver, source),
        state: (state) => this.#linked(state),
        agreed: () => this.#agreed(),
        opened: () => this.#opened(),
        heard: (kind, body) => this.#heard(kind, body),
        breached: options.breached,
        addressRefused: parts.addressRefused,
        ...(options.files && { files: options.files }),
      },
    );
    this.stats = new LinkStats(this.link.connection, parts.clock);
    this.#shortage = new LinkShortage(parts.clock);
    const say = (body: Uint8Array) => this.link.say("video", body);
    this.video = new VideoFlow({ say, changed: () => this.#flows() }, parts.clock);
  }

  get name(): string {
    return this.#options.name();
  }

  get state(): LinkState {
    return this.#state;
  }

  /** There is a connection, or one is being made. */
  get isLinked(): boolean {
    return !this.#isClosed;
  }

  /** Whether what comes is signed by its sender, where it has to be: where it is not, nothing opens. */
  get verdict(): Verdict {
    return this.#verdicts.worst;
  }

  /** The way was lost, and signatures may be lost with it. */
  get wasLost(): boolean {
    return this.#wasLost;
  }

  /** Nothing is sent there at present. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** In which this end's picture goes there; null where none does, undefined until that is chosen. */
  get codec(): string | null | undefined {
    return this.#codec;
  }

  /** Has the picture encoded with that codec from now on, as far as the two have negotiated it. Null: none goes there. */
  async encodeAs(codec: string | null): Promise<void> {
    const isOther = (codec === null) !== (this.#codec === null);
    this.#codec = codec;
    if (isOther) await this.refresh();
    await this.#encode();
  }

  /** Whether the picture comes from the one encoder that works for all, or is encoded on this link. */
  async encodeOnce(once: boolean): Promise<void> {
    if (once === this.#once) return;
    this.#once = once;
    await this.refresh();
  }

  /** Bits per second that the picture takes at most where it is encoded on this link. */
  async limit(bitsPerSecond: number): Promise<void> {
    await Promise.all(this.#pictures.map((outgoing) => outgoing.limit(bitsPerSecond)));
  }

  /** Sends nothing from now on, or all again. */
  async hold(held: boolean): Promise<void> {
    if (held === this.#isHeld) return;
    this.#isHeld = held;
    await this.refresh();
  }

  /** Sends nothing from now on since the other end gets it another way, or all again. */
  async leave(isElsewhere: boolean): Promise<void> {
    if (isElsewhere === this.#isElsewhere) return;
    this.#isElsewhere = isElsewhere;
    await this.refresh();
  }

  /**
   * Has video give way to sound where the link carries too little for both, or this computer does (`isBusy`). To be called with
   * each reading of `stats`, and what the fan-outs report then.
   */
  examine(fanOuts: readonly FanOutReport[], isBusy: boolean): void {
    if (this.#options.direction === "recvonly" || this.#state !== "connected") return;
    const isEncodedHere = this.#pictures.some(({ hasOwnPicture }) => hasOwnPicture);
    const isShort = this.#shortage.examine(isEncodedHere ? readingOf(this.stats.latest.entries) : null);
    const heldBack = fanOuts.flatMap(({ paused }) => paused);
    const isHeldBack = this.lines.some(({ sent }) => sent !== null && heldBack.includes(sent.id));
    this.video.pause(isShort ? "connection" : isBusy ? "computer" : null, isHeldBack);
  }

  /** Sends what there is to send now. */
  async refresh(): Promise<void> {
    await Promise.all(this.lines.map(({ outgoing }) => outgoing?.feed()));
  }

  tellTiming(message: TimingMessage): void {
    sayTiming(this.link, message);
  }

  /** Signatures reach the other end from now on. */
  get canSign(): boolean {
    return this.#canSign;
  }

  /** Signatures of frames that go there. */
  sign(batch: Uint8Array): void {
    this.link.say("signatures", batch);
  }

  /** How large the other end's pictures are shown here. */
  get shownHere(): readonly Shown[] {
    return this.#showing.latest;
  }

  /** The other end's picture is shown so large here from now on. */
  show(shown: Shown): void {
    this.#showing.show(shown);
  }

  /** That picture of the other end is seen or recorded here, and has been for long enough to come. */
  isDue(source: VideoSource): boolean {
    return this.#showing.isDue(source);
  }

  /** Nobody has seen it here for long enough that it need not come. */
  rests(source: VideoSource): boolean {
    return this.#showing.rests(source);
  }

  /** The browser is asked to hold back this many milliseconds of what comes, to play smoothly. */
  buffer(ms: number): void {
    this.#bufferMs = ms;
    for (const { transceiver } of this.lines) this.#holdBack(transceiver.receiver);
  }

  close(): void {
    this.#isClosed = true;
    this.#showing.close();
    this.link.close();
    for (const { outgoing, received } of this.lines.splice(0)) {
      outgoing?.close();
      received?.release();
    }
  }

  get #isShut(): boolean {
    return this.#isHeld || this.#isElsewhere;
  }

  get #pictures(): Outgoing[] {
    return this.lines.flatMap(({ kind, outgoing }) => (kind === "video" && outgoing !== null ? [outgoing] : []));
  }

  async #encode(): Promise<void> {
    const codec = this.#codec;
    if (typeof codec === "string") await Promise.all(this.#pictures.map((outgoing) => outgoing.encodeAs(codec)));
  }

  #holdBack(receiver: RTCRtpReceiver): void {
    // W3C WebRTC Extensions section 6.2; Firefox has it not on every line.
    if (this.#bufferMs !== null && "jitterBufferTarget" in receiver) receiver.jitterBufferTarget = this.#bufferMs;
  }

  #heard(kind: ChannelKind, body: Uint8Array): void {
    const { direction, leaf, parts } = this.#options;
    if (kind === "shown") this.#shownThere(body);
    else if (kind === "timing") parts.timing.heard(this, body);
    else if (kind === "video") this.video.heard(body);
    else if (kind !== "signatures") this.#options.heard?.(kind, body);
    else if (direction !== "sendonly") parts.pool.verify(body, leaf);
  }

  #shownThere(body: Uint8Array): void {
    const shown = parseShown(body);
    if (shown === null) return;
    this.#shown.set(shown.source, shown);
    for (const { source, outgoing } of this.lines) if (source === shown.source) outgoing?.shownAs(shown);
  }

  /**
   * Both transforms are set in the task that made the line. No track is on the sender before its transform is ready. What
   * would come on a line that only sends is held by no transform.
   */
  #line(transceiver: RTCRtpTransceiver, source: LineSource): void {
    const kind = kindOf(source);
    const { direction, leaf, isSigned } = this.#options;
    const { pool } = this.#options.parts;
    const { sender, receiver } = transceiver;
    const sign = isSigned ? (batch: Uint8Array) => this.sign(batch) : null;
    const judged = isSigned ? this.#verdicts.ofTrack() : null;
    const sent = direction === "recvonly" ? null : pool.seal(sender, kind, source, sign);
    const received = direction === "sendonly" ? null : pool.open(receiver, kind, source, leaf, judged);
    const outgoing = sent && this.#outgoing(transceiver, source, sent);
    this.lines.push({ source, kind, transceiver, sent, received, outgoing });
    transceiver.setCodecPreferences(negotiable(kind));
    if (received !== null) this.incoming.add(source, receiver.track);
    this.#holdBack(receiver);
    void outgoing?.feed();
  }

  #outgoing(transceiver: RTCRtpTransceiver, source: LineSource, sent: Attachment): Outgoing {
    const { pool, clock } = this.#options.parts;
    const around = {
      fanOut: pool.fanOuts[source === "screen-picture" ? source : "camera"],
      way: () => this.#way(source, transceiver),
      track: () => this.#track(source),
    };
    const outgoing = new Outgoing(transceiver.sender, sent, around, clock);
    const shown = this.#shown.get(source);
    if (shown !== undefined) outgoing.shownAs(shown);
    return outgoing;
  }

  #track(source: LineSource): MediaStreamTrack | null {
    const isEncoded = kindOf(source) === "audio" || (this.#codec !== null && !this.video.isShut);
    return this.#isShut || !isEncoded ? null : this.#options.track(source);
  }

  #way(source: LineSource, { currentDirection }: RTCRtpTransceiver): "own" | "shared" | "unchanged" {
    if (this.link.connection.signalingState === "closed") return "unchanged";
    // Signatures have to be there before frames are.
    if (this.#options.isSigned && !this.#canSign) return "unchanged";
    const isShut = this.#isShut || this.#codec === null || this.video.isShut;
    if (kindOf(source) === "audio" || !this.#once || isShut) return "own";
    // A link that leads nowhere yet would hold up the others' picture with key frames that never leave.
    return this.#state === "connected" && currentDirection !== null ? "shared" : "unchanged";
  }

  #opened(): void {
    this.#canSign = true;
    this.#showing.opened();
    this.video.opened();
    void this.refresh();
    this.#options.opened?.();
  }

  #flows(): void {
    if (this.#isClosed) return;
    void this.refresh();
    this.#options.changed();
  }

  /** A line that is new can send from now on. */
  #agreed(): void {
    void this.#encode();
    void this.refresh();
  }

  #linked(state: LinkState): void {
    this.#state = state;
    if (state === "reconnecting") this.#wasLost = true;
    if (state === "connected") void this.refresh();
    void this.#encode();
    this.#options.changed();
  }
}
