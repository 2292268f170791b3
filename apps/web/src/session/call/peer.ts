import type { GroupMember } from "@sealcast/keys";
import type { Attachment } from "@sealcast/media";
import type {
  Breach,
  ChannelKind,
  FileEvents,
  LineSource,
  LinkState,
  PeerLink,
  ScreenSource,
  Signal,
  SoundFormat,
} from "@sealcast/network";
import type { Voice } from "@sealcast/recording";
import { TokenBucket } from "@sealcast/time";
import type { ProvenLine } from "../audit/browser-counters.ts";
import { PAGE_BUDGETS } from "../budgets.ts";
import type { LocalMedia } from "../devices/local.ts";
import { type MediaParts, MediaPeer } from "../peer/media-peer.ts";
import type { Shortage } from "../peer/video-flow.ts";
import type { Received } from "../reception/reception.ts";
import { Relayed } from "../relay/relayed.ts";
import type { ShownMember } from "./known-peers.ts";
import type { Profile } from "./message.ts";

/** How a peer shows, as far as their connection and what they say of their devices make it. */
export interface PeerView {
  stream: MediaStream;
  /** What they share; null while they share nothing. */
  screen: MediaStream | null;
  /** The sound of what they share, whether its picture comes or not. */
  screenSound: MediaStream | null;
  camera: boolean;
  microphone: boolean;
  /**
   * `away`: their page said goodbye, and they have a place to come back to. `closed`: this page closed it, for `breach`. They
   * still hold keys; nothing goes to them.
   */
  connection: LinkState | "away" | "closed";
  /** What their app did; null unless the connection is closed for it. */
  breach: Breach | null;
  /** Their video is paused, since their connection or their computer does not do for it; the sound goes on. */
  videoPaused: Shortage | null;
  /** They have said what of their devices is on. False: nothing is known of what they send. */
  isHeardOf: boolean;
}

export interface PeerOptions {
  parts: MediaParts;
  local: LocalMedia;
  sound(source: LineSource): SoundFormat;
  signal(signal: Signal): void;
  reachable(up: boolean): void;
  /** From now on something can be said over the channel of their link. */
  opened(): void;
  /** Their page said that it goes. */
  goodbye(): void;
  /** Frames came over the media relay that they did not sign. */
  forged(): void;
  /** They said something over the channel of their link. */
  heard(kind: ChannelKind, body: Uint8Array): void;
  /** What comes over their link of files. */
  files: FileEvents;
  /** There is no connection to them any more. */
  closed(): void;
  /** Their app sends too much, or what none sends: the connection to them is closed. */
  breached(breach: Breach): void;
  changed(): void;
}

/**
 * One other member of the group: their connection, and how they show. Each shows from the moment there is a connection,
 * whatever they send or do not: nobody gets media who has no place on the page.
 */
export class Peer {
  /** How they show now: of the same member always. */
  shown: ShownMember;
  readonly media: MediaPeer;
  /** What comes of them over the media relay, where the call uses one. */
  readonly relayed: Relayed;
  readonly #options: PeerOptions;
  readonly #isCaller: boolean;
  readonly #messages: TokenBucket;
  readonly #statements: TokenBucket;
  #profile: Profile | null = null;
  /** Why there is no connection any more. */
  #ended: "away" | "closed" | null = null;
  #breach: Breach | null = null;

  /** The lower leaf calls, so that both ends know without a word who does. */
  constructor(shown: ShownMember, me: GroupMember, options: PeerOptions) {
    this.shown = shown;
    this.#options = options;
    this.#isCaller = me.leaf < shown.member.leaf;
    const { parts, local, sound, signal, opened, files } = options;
    this.#messages = new TokenBucket(PAGE_BUDGETS.messages, parts.clock);
    this.#statements = new TokenBucket(PAGE_BUDGETS.statements, parts.clock);
    this.media = new MediaPeer({
      ...{ parts, sound, signal, files },
      opened: () => {
        this.relayed.opened();
        opened();
      },
      direction: "sendrecv",
      isCaller: this.#isCaller,
      leaf: shown.member.leaf,
      isSigned: false,
      stream: local.view.stream,
      name: () => this.name,
      track: (source) => local.track(source),
      heard: (kind, body) => this.#heard(kind, body),
      breached: (breach) => this.#breached(breach),
      changed: () => this.#linked(),
    });
    this.relayed = new Relayed({
      ...{ pool: parts.pool, clock: parts.clock, leaf: shown.member.leaf, incoming: this.media.incoming },
      name: () => this.name,
      due: () => this.#dueSources,
      say: (body) => this.link.say("relayed", body),
      forged: () => options.forged(),
    });
  }

  get member(): GroupMember {
    return this.shown.member;
  }

  get link(): PeerLink {
    return this.media.link;
  }

  get state(): PeerView["connection"] {
    return this.#ended ?? this.media.state;
  }

  get name(): string {
    return this.shown.name;
  }

  /** What they say of their devices; that they are all off where they have said nothing. */
  get view(): PeerView {
    const { camera = false, microphone = false, screen = false } = this.#profile ?? {};
    const { wants, pausedThere } = this.media.video;
    const { incoming } = this.media;
    return {
      camera: camera && wants && pausedThere === null,
      microphone,
      videoPaused: (camera || screen) && wants && this.state === "connected" ? pausedThere : null,
      isHeardOf: this.#profile !== null,
      stream: incoming.stream,
      screen: screen && wants && this.#ended === null ? incoming.screen : null,
      screenSound: this.#profile?.screenSound && this.#ended === null ? incoming.screenSound : null,
      connection: this.state,
      breach: this.#breach,
    };
  }

  /** What of them can be recorded now: their camera and sound, and apart from that their screen. */
  get voices(): Voice[] {
    if (this.state !== "connected") return [];
    const { stream, screen, screenSound, camera } = this.view;
    const { leafKeyId } = this.member;
    const [picture = null] = camera ? stream.getVideoTracks() : [];
    const [sound = null] = stream.getAudioTracks();
    const own = { id: leafKeyId, name: this.name, video: picture, audio: sound };
    const shared = screen?.getVideoTracks()[0];
    if (shared === undefined) return [own];
    const [heard = null] = screenSound?.getAudioTracks() ?? [];
    return [own, { id: `${leafKeyId} screen`, name: this.name, video: shared, audio: heard }];
  }

  /** Whether their next message counts. Who sends too many loses their connection. */
  takesMessage(): boolean {
    if (this.#messages.take() < 0) this.flooded();
    return this.#ended === null;
  }

  /** They say more than any app of ours. */
  flooded(): void {
    if (this.#ended === null) this.#breached("flood");
  }

  profiled(profile: Profile): void {
    if (this.#profile !== null && profile.version <= this.#profile.version) return;
    this.#profile = profile;
    this.#openScreen();
    this.#options.changed();
  }

  /** Of their camera and microphone, what has to come now: they say that it is on and not paused, it is wanted here, and the way is up. */
  get due(): Attachment[] {
    if (this.state !== "connected") return [];
    const own: readonly LineSource[] = ["camera", "microphone"];
    const due = this.#dueSources.filter((source) => own.includes(source));
    return this.incoming.flatMap(({ source, received }) => (due.includes(source) ? (received ?? []) : []));
  }

  /** The lines over which what is played of them comes. */
  get incoming(): readonly ProvenLine[] {
    return this.relayed.isPlayed ? this.relayed.lines : this.media.lines;
  }

  /** What of what comes tells of their voice, and of its way. */
  get reception(): Received {
    return this.relayed.voice ?? this.media;
  }

  /** What they say that they send, and is wanted here. */
  get #dueSources(): LineSource[] {
    const profile = this.#profile;
    if (profile === null) return [];
    const { camera, screen } = this.view;
    const isOn = {
      ...{ camera: camera && this.media.isDue("camera"), microphone: profile.microphone },
      "screen-picture": screen !== null && this.media.isDue("screen-picture"),
      "screen-sound": profile.screenSound,
    };
    return (Object.keys(isOn) as LineSource[]).filter((source) => isOn[source]);
  }

  /** The video codecs that the person decodes; null until they have said. */
  get decodes(): string[] | null {
    return this.#profile?.decodes ?? null;
  }

  /** Sends what this person's devices give now. */
  async refresh(): Promise<void> {
    this.#openScreen();
    await this.media.refresh();
  }

  close(): void {
    this.relayed.leave();
    this.media.close();
    this.#options.closed();
  }

  #heard(kind: ChannelKind, body: Uint8Array): void {
    if (kind === "goodbye") this.#goodbye();
    else if (kind === "relayed") this.#heardRelayed(body);
    else if (kind === "recording" && this.#statements.take() < 0) this.#breached("flood");
    else this.#options.heard(kind, body);
  }

  /** What they get nothing of over the relay goes directly at once; the way there waits for the next sample. */
  #heardRelayed(body: Uint8Array): void {
    this.relayed.heard(body);
    if (!this.relayed.isTaken) void this.media.leave(false);
  }

  /** Nothing more goes to their page, which nobody sits in front of any more: who comes back to it comes as another member. */
  #goodbye(): void {
    this.close();
    this.#ended = "away";
    this.#options.goodbye();
    this.#options.changed();
  }

  #breached(breach: Breach): void {
    this.close();
    this.#ended = "closed";
    this.#breach = breach;
    this.#options.reachable(false);
    this.#options.breached(breach);
    this.#options.changed();
  }

  /** The lines for screens and their sound are made when the first of the two shares one, and stay. */
  #openScreen(): void {
    if (!this.#isCaller || this.state !== "connected") return;
    const { screen = false, screenSound = false } = this.#profile ?? {};
    this.#openLine("screen-picture", screen);
    this.#openLine("screen-sound", screenSound);
  }

  #openLine(source: ScreenSource, isTheirs: boolean): void {
    const isShared = isTheirs || this.#options.local.track(source) !== null;
    if (isShared && !this.media.lines.some((line) => line.source === source)) this.link.openScreen(source);
  }

  #linked(): void {
    this.#openScreen();
    this.#options.reachable(this.media.state === "connected");
    this.#options.changed();
  }
}
