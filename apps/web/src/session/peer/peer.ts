import type { GroupMember } from "@sealcast/keys";
import type { Attachment, MediaKind, MediaPool } from "@sealcast/media";
import {
  type Breach,
  type ChannelKind,
  type LineSource,
  type LinkState,
  PeerLink,
  type Signal,
  type SoundFormat,
} from "@sealcast/network";
import type { Voice } from "@sealcast/recording";
import { systemClock, TokenBucket } from "@sealcast/time";
import { PAGE_BUDGETS } from "../budgets.ts";
import type { ShownMember } from "../call/known-peers.ts";
import type { Profile } from "../call/message.ts";
import type { LocalMedia } from "../devices/local.ts";
import { kindOf, negotiable } from "./codecs.ts";
import { Outgoing } from "./outgoing.ts";
import { parseShown, Showing, type Shown } from "./shown.ts";

export type { Breach };

/** How a peer shows, as far as their connection and what they say of their devices make it. */
export interface PeerView {
  stream: MediaStream;
  /** What they share; null while they share nothing. */
  screen: MediaStream | null;
  camera: boolean;
  microphone: boolean;
  /**
   * `away`: their page said goodbye, and they have a place to come back to. `closed`: this page closed it, for `breach`. They
   * still hold keys; nothing goes to them.
   */
  connection: LinkState | "away" | "closed";
  /** What their app did; null unless the connection is closed for it. */
  breach: Breach | null;
  /** They have said what of their devices is on. False: nothing is known of what they send. */
  isHeardOf: boolean;
}

export interface PeerOptions {
  iceServers: RTCIceServer[];
  pool: MediaPool;
  local: LocalMedia;
  sound(): SoundFormat;
  signal(signal: Signal): void;
  reachable(up: boolean): void;
  /** From now on something can be said over the channel of their link. */
  opened(): void;
  /** Their page said that it goes. */
  goodbye(): void;
  /** They said something over the channel of their link. */
  heard(kind: ChannelKind, body: Uint8Array): void;
  /** Their app sends too much, or what none sends: the connection to them is closed. */
  breached(breach: Breach): void;
  addressRefused(): void;
  changed(): void;
}

/** One media line of a peer: this person's source going out, the peer's coming in. */
export interface PeerLine {
  source: LineSource;
  kind: MediaKind;
  transceiver: RTCRtpTransceiver;
  sent: Attachment;
  received: Attachment;
  outgoing: Outgoing;
}

/**
 * One other member of the group: their connection, their media lines, how they show. Each shows from the moment there is a
 * connection, whatever they send or do not: nobody gets media who has no place on the page.
 */
export class Peer {
  /** How they show now: of the same member always. */
  shown: ShownMember;
  readonly lines: PeerLine[] = [];
  readonly link: PeerLink;
  readonly #options: PeerOptions;
  readonly #isCaller: boolean;
  readonly #stream = new MediaStream();
  readonly #screen = new MediaStream();
  readonly #showing = new Showing((body) => this.link.say("shown", body));
  readonly #messages = new TokenBucket(PAGE_BUDGETS.messages, systemClock);
  readonly #statements = new TokenBucket(PAGE_BUDGETS.statements, systemClock);
  /** By source: how large they show this person's pictures, of which one may have no line yet. */
  readonly #shown = new Map<LineSource, Shown>();
  /** Nothing is sent to them, since they are not known to be in the same group now. */
  #isHeld = false;
  /** This person's picture is encoded once, for this person and others. */
  #once = false;
  #profile: Profile | null = null;
  #state: PeerView["connection"] = "connecting";
  #breach: Breach | null = null;
  /** Null: they get no video. Undefined until one is chosen. */
  #codec: string | null | undefined;

  /** The lower leaf calls, so that both ends know without a word who does. */
  constructor(shown: ShownMember, me: GroupMember, options: PeerOptions) {
    this.shown = shown;
    this.#options = options;
    this.#isCaller = me.leaf < shown.member.leaf;
    const { iceServers, local, sound } = options;
    this.link = new PeerLink(
      { caller: this.#isCaller, iceServers, stream: local.view.stream, direction: "sendrecv", sound },
      {
        signal: options.signal,
        line: (transceiver, source) => this.#line(transceiver, source),
        state: (state) => this.#linked(state),
        agreed: () => this.#agreed(),
        opened: () => {
          this.#showing.opened();
          options.opened();
        },
        heard: (kind, body) => this.#heard(kind, body),
        breached: (breach) => this.#breached(breach),
        addressRefused: options.addressRefused,
      },
    );
  }

  get member(): GroupMember {
    return this.shown.member;
  }

  get state(): PeerView["connection"] {
    return this.#state;
  }

  get name(): string {
    return this.shown.name;
  }

  /** What they say of their devices; that they are all off where they have said nothing. */
  get media(): PeerView {
    const { camera = false, microphone = false, screen = false } = this.#profile ?? {};
    return {
      ...{ camera, microphone },
      isHeardOf: this.#profile !== null,
      stream: this.#stream,
      screen: screen && this.#isOpen ? this.#screen : null,
      connection: this.#state,
      breach: this.#breach,
    };
  }

  /** What of them can be recorded now: their camera and sound, and apart from that their screen. */
  get voices(): Voice[] {
    if (this.#state !== "connected") return [];
    const { stream, screen, camera } = this.media;
    const { leafKeyId } = this.member;
    const [picture = null] = camera ? stream.getVideoTracks() : [];
    const [sound = null] = stream.getAudioTracks();
    const own = { id: leafKeyId, name: this.name, video: picture, audio: sound };
    const shared = screen?.getVideoTracks()[0];
    return shared ? [own, { id: `${leafKeyId} screen`, name: this.name, video: shared, audio: null }] : [own];
  }

  /** Whether their next message counts. Who sends too many loses their connection. */
  takesMessage(): boolean {
    if (this.#isOpen && this.#messages.take() < 0) this.#breached("flood");
    return this.#isOpen;
  }

  profiled(profile: Profile): void {
    if (this.#profile !== null && profile.version <= this.#profile.version) return;
    this.#profile = profile;
    this.#openScreen();
    this.#options.changed();
  }

  /** Of their camera and microphone, what has to come now: they say that it is on, and the way is up. */
  get due(): Attachment[] {
    const profile = this.#profile;
    if (profile === null || this.#state !== "connected") return [];
    const due = this.lines.filter(({ source }) => source !== "screen-picture" && profile[source]);
    return due.map(({ received }) => received);
  }

  /** The video codecs that the person decodes; null until they have said. */
  get decodes(): string[] | null {
    return this.#profile?.decodes ?? null;
  }

  /** In which this person's picture goes there; null where none does, undefined until that is chosen. */
  get codec(): string | null | undefined {
    return this.#codec;
  }

  /** Has this person's picture encoded with that codec from now on, as far as the two have negotiated it. Null: none goes there. */
  async encodeAs(codec: string | null): Promise<void> {
    const isOther = (codec === null) !== (this.#codec === null);
    this.#codec = codec;
    if (isOther) await this.refresh();
    await this.#encode();
  }

  /** Whether this person's picture comes from the one encoder that works for all, or is encoded on this link. */
  async encodeOnce(once: boolean): Promise<void> {
    if (once === this.#once) return;
    this.#once = once;
    await this.refresh();
  }

  async #encode(): Promise<void> {
    const codec = this.#codec;
    if (typeof codec !== "string") return;
    const pictures = this.lines.filter(({ kind }) => kind === "video");
    await Promise.all(pictures.map(({ outgoing }) => outgoing.encodeAs(codec)));
  }

  /** Sends them nothing from now on, or all again. */
  async hold(held: boolean): Promise<void> {
    if (held === this.#isHeld) return;
    this.#isHeld = held;
    await this.refresh();
  }

  /** Sends what this person's devices give now. */
  async refresh(): Promise<void> {
    this.#openScreen();
    await Promise.all(this.lines.map(({ outgoing }) => outgoing.feed()));
  }

  /** Their picture is shown so large here from now on. */
  show(shown: Shown): void {
    this.#showing.show(shown);
  }

  close(): void {
    this.#showing.close();
    this.link.close();
    for (const { outgoing, received } of this.lines.splice(0)) {
      outgoing.close();
      received.release();
    }
  }

  #heard(kind: ChannelKind, body: Uint8Array): void {
    if (kind === "shown") this.#shownThere(body);
    else if (kind === "goodbye") this.#goodbye();
    else if (kind === "recording" && this.#statements.take() < 0) this.#breached("flood");
    else this.#options.heard(kind, body);
  }

  /** Nothing more goes to their page, which nobody sits in front of any more: who comes back to it comes as another member. */
  #goodbye(): void {
    this.close();
    this.#state = "away";
    this.#options.goodbye();
    this.#options.changed();
  }

  #breached(breach: Breach): void {
    this.close();
    this.#state = "closed";
    this.#breach = breach;
    this.#options.reachable(false);
    this.#options.breached(breach);
    this.#options.changed();
  }

  get #isOpen(): boolean {
    return this.#state !== "away" && this.#state !== "closed";
  }

  #shownThere(body: Uint8Array): void {
    const shown = parseShown(body);
    if (shown === null) return;
    this.#shown.set(shown.source, shown);
    for (const { source, outgoing } of this.lines) if (source === shown.source) outgoing.shownAs(shown);
  }

  /** Both transforms are set in the task that made the line. No track is on the sender before its transform is ready. */
  #line(transceiver: RTCRtpTransceiver, source: LineSource): void {
    const kind = kindOf(source);
    const { pool, local } = this.#options;
    const { sender, receiver } = transceiver;
    const sent = pool.seal(sender, kind, source);
    const received = pool.open(receiver, kind, source, this.member.leaf);
    const outgoing = new Outgoing(sender, sent, {
      fanOut: pool.fanOuts[source === "screen-picture" ? source : "camera"],
      way: () => this.#way(source, transceiver),
      track: () => (this.#isHeld || !this.#isEncoded(kind) ? null : local.track(source)),
    });
    const shown = this.#shown.get(source);
    if (shown !== undefined) outgoing.shownAs(shown);
    this.lines.push({ source, kind, transceiver, sent, received, outgoing });
    transceiver.setCodecPreferences(negotiable(kind));
    (source === "screen-picture" ? this.#screen : this.#stream).addTrack(receiver.track);
    void outgoing.feed();
  }

  /** The line for screens is made when the first of the two shares one, and stays. */
  #openScreen(): void {
    const isShared = this.#profile?.screen === true || this.#options.local.track("screen-picture") !== null;
    const isOpen = this.lines.some(({ source }) => source === "screen-picture");
    if (this.#isCaller && isShared && !isOpen && this.#state === "connected") this.link.openScreen();
  }

  #way(source: LineSource, { currentDirection }: RTCRtpTransceiver): "own" | "shared" | "unchanged" {
    if (this.link.connection.signalingState === "closed") return "unchanged";
    if (source === "microphone" || !this.#once || this.#isHeld || this.#codec === null) return "own";
    // A link that leads nowhere yet would hold up the others' picture with key frames that never leave.
    return this.#state === "connected" && currentDirection !== null ? "shared" : "unchanged";
  }

  #isEncoded(kind: MediaKind): boolean {
    return kind === "audio" || this.#codec !== null;
  }

  /** A line that is new can send from now on. */
  #agreed(): void {
    void this.#encode();
    void this.refresh();
  }

  #linked(state: LinkState): void {
    this.#state = state;
    if (state === "connected") void this.refresh();
    void this.#encode();
    this.#options.reachable(state === "connected");
    this.#options.changed();
  }
}
