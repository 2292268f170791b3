import type { Source } from "@sealcast/frame";
import type { Member } from "@sealcast/keys";
import type { Attachment, MediaKind, MediaPool } from "@sealcast/media";
import { type ChannelKind, type LineSource, type LinkState, PeerLink, type Signal } from "@sealcast/network";
import { isCodec, negotiable } from "./codecs.ts";
import type { LocalMedia } from "./local.ts";
import type { Profile } from "./message.ts";
import type { Person } from "./view.ts";

const LINES: Record<LineSource, { kind: MediaKind; source: Source }> = {
  microphone: { kind: "audio", source: "microphone" },
  camera: { kind: "video", source: "camera" },
};

export interface PeerOptions {
  iceServers: RTCIceServer[];
  pool: MediaPool;
  local: LocalMedia;
  signal(signal: Signal): void;
  reachable(up: boolean): void;
  /** They said something over the channel of their link. */
  heard(kind: ChannelKind, body: Uint8Array): void;
  changed(): void;
}

/** One media line of a peer: this person's source going out, the peer's coming in. */
export interface PeerLine {
  source: LineSource;
  kind: MediaKind;
  transceiver: RTCRtpTransceiver;
  sent: Attachment;
  received: Attachment;
  /** What its sender is given: one change after the other. */
  feeding: Promise<void>;
}

/** One other member as this page knows them: their connection, their media lines, how they show. */
export class Peer {
  readonly member: Member;
  readonly lines: PeerLine[] = [];
  readonly link: PeerLink;
  readonly #options: PeerOptions;
  readonly #stream = new MediaStream();
  /** This person's picture is encoded once, for this person and others. */
  #once = false;
  #profile: Profile | null = null;
  #state: LinkState = "connecting";
  #codec: string | null = null;

  /** The lower leaf calls, so that both ends know without a word who does. */
  constructor(member: Member, me: Member, options: PeerOptions) {
    this.member = member;
    this.#options = options;
    const { iceServers, local } = options;
    this.link = new PeerLink(
      { caller: me.leaf < member.leaf, iceServers, stream: local.view.stream },
      {
        signal: options.signal,
        line: (transceiver, source) => this.#line(transceiver, source),
        state: (state) => this.#linked(state),
        heard: options.heard,
      },
    );
  }

  get name(): string | null {
    return this.#profile?.name ?? null;
  }

  /** Null until the person has said who they are. */
  get view(): Omit<Person, "standing" | "code" | "answering"> | null {
    if (this.#profile === null) return null;
    const { name, camera, microphone } = this.#profile;
    return { id: this.member.occupancy, name, camera, microphone, stream: this.#stream, connection: this.#state };
  }

  introduce(profile: Profile): void {
    if (this.#profile !== null && profile.version <= this.#profile.version) return;
    this.#profile = profile;
    this.#options.changed();
  }

  /** The video codecs that the person decodes; null until they have said. */
  get decodes(): string[] | null {
    return this.#profile?.decodes ?? null;
  }

  /** Has this person's picture encoded with that codec from now on, as far as the two have negotiated it. */
  async encodeAs(codec: string): Promise<void> {
    this.#codec = codec;
    await Promise.all(this.lines.filter(({ kind }) => kind === "video").map((line) => this.#encode(line)));
  }

  /** Whether this person's picture comes from the one encoder that works for all, or is encoded on this link. */
  async encodeOnce(once: boolean): Promise<void> {
    if (once === this.#once) return;
    this.#once = once;
    await this.refresh();
  }

  /** Sends what this person's devices give now. */
  async refresh(): Promise<void> {
    await Promise.all(this.lines.map((line) => this.#feed(line)));
  }

  close(): void {
    this.link.close();
    for (const { sent, received } of this.lines) {
      this.#options.pool.fanOut.drop(sent.id);
      sent.release();
      received.release();
    }
  }

  /** Both transforms are set in the task that made the line. No track is on the sender before its transform is ready. */
  #line(transceiver: RTCRtpTransceiver, name: LineSource): void {
    const { kind, source } = LINES[name];
    const { pool } = this.#options;
    const sent = pool.seal(transceiver.sender, kind, source);
    const received = pool.open(transceiver.receiver, kind, source, this.member.leaf);
    const line = { source: name, kind, transceiver, sent, received, feeding: sent.ready };
    this.lines.push(line);
    transceiver.setCodecPreferences(negotiable(kind));
    this.#stream.addTrack(transceiver.receiver.track);
    void this.#feed(line);
  }

  #feed(line: PeerLine): Promise<void> {
    line.feeding = line.feeding.then(() => this.#give(line));
    return line.feeding;
  }

  async #give({ source, sent, transceiver: { sender } }: PeerLine): Promise<void> {
    if (this.link.connection.signalingState === "closed") return;
    const { fanOut } = this.#options.pool;
    if (source === "camera" && this.#once) {
      // A link that leads nowhere yet would hold up the others' picture with key frames that never leave.
      return this.#state === "connected" ? fanOut.carry(sent.id, sender) : undefined;
    }
    const track = this.#options.local.track(source);
    // Rejects when the connection has closed meanwhile: then there is nobody to send to.
    if (sender.track !== track) await sender.replaceTrack(track).catch(() => undefined);
    fanOut.drop(sent.id);
  }

  async #encode({ transceiver: { sender } }: PeerLine): Promise<void> {
    const parameters = sender.getParameters();
    const codec = parameters.codecs.find((negotiated) => this.#codec !== null && isCodec(negotiated, this.#codec));
    // W3C WebRTC Extensions section 5.5; the types of the platform do not know it yet.
    const encodings: (RTCRtpEncodingParameters & { codec?: RTCRtpCodec })[] = parameters.encodings;
    if (codec === undefined || encodings.every((encoding) => encoding.codec?.mimeType === codec.mimeType)) return;
    for (const encoding of encodings) encoding.codec = codec;
    // Rejects when a negotiation came between: the next change of state tries again.
    await sender.setParameters(parameters).catch(() => undefined);
  }

  #linked(state: LinkState): void {
    this.#state = state;
    if (state === "connected") void this.refresh();
    if (this.#codec !== null) void this.encodeAs(this.#codec);
    this.#options.reachable(state === "connected");
    this.#options.changed();
  }
}
