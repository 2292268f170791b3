import { type Cancel, type Clock, milli, SerialQueue, systemClock, TokenBucket } from "@sealcast/time";
import { type Breach, DESCRIPTION_COUNTS, LINK_BUDGETS, MOST_WAITING } from "./budgets.ts";
import { Channel, type ChannelKind } from "./channel.ts";
import { heardInStereo, received, type Section, type SoundFormat, sent } from "./description.ts";
import { FileChannel, type FileEvents } from "./file-channel.ts";
import { configurationOf, type Ice, LinkAddresses } from "./link-addresses.ts";
import { type AnnouncedLine, kindOf, type LineSource, type ScreenSource, type Signal } from "./signal.ts";

/** Candidates gather in bursts: one message for each burst. */
const CANDIDATE_BATCH = milli(10);
/** A connection that is "disconnected" often comes back by itself; after this a restart is quicker. */
const RESTART_AFTER = milli(2_000);
/** Between two restarts, so that each has time to work. */
const RESTART_GAP = milli(5_000);
/** So long after two ends agreed for the first time a connection is there, or they name their addresses again. */
export const LOOK_AGAIN_AFTER = milli(15_000);

export type LinkState = "connecting" | "connected" | "reconnecting";

interface LinkEvents {
  /** To the other end, inside the group's encryption. */
  signal(signal: Signal): void;
  /**
   * A media line came to be. Called in the task that made it: attach both transforms before any await, or the browser
   * may let frames by.
   */
  line(transceiver: RTCRtpTransceiver, source: LineSource): void;
  state(state: LinkState): void;
  /** Both ends have agreed on the lines that there are. */
  agreed?(): void;
  /** From now on `say` reaches the other end. */
  opened?(): void;
  /** The other end said something over the channel. */
  heard(kind: ChannelKind, body: Uint8Array): void;
  /** The other end does what no client does: the connection is closed, once and for all. */
  breached(breach: Breach): void;
  /** The other end named an address, or one too many, to which nothing is sent. */
  addressRefused(): void;
  /** Files go over this link. Without, there is no channel for them. */
  files?: FileEvents;
}

interface LinkOptions {
  /** Exactly one end of a link makes its media lines, and offers. */
  caller: boolean;
  ice: Ice;
  /** Both of this end's tracks travel in one stream, so that the other end plays them in step. */
  stream: MediaStream;
  /** How this end sends the sound of a source, asked whenever the two ends agree on something. Without, as the browser likes. */
  sound?(source: LineSource): SoundFormat;
  /** What the path is taken to carry at first, in kilobits per second. Without, as little as the browser likes. */
  startBitrate?: number;
  /** Which way media goes: both ends of a call send, of a live stream only the host does. */
  direction: "sendrecv" | "sendonly" | "recvonly";
}

/**
 * One peer connection to one member. The caller alone offers, and the callee asks it to: in Chromium, of an end that takes its
 * offer back no frame passes its receivers' transforms any more (docs/decisions/one-line-both-ways.md).
 */
export class PeerLink {
  readonly connection: RTCPeerConnection;
  readonly #events: LinkEvents;
  readonly #options: LinkOptions;
  readonly #addresses: LinkAddresses;
  readonly #clock: Clock;
  /** What is on a screen goes with its sound. In a stream of its own, it does not hold up camera and microphone. */
  readonly #screen = new MediaStream();
  readonly #known = new WeakSet<RTCRtpTransceiver>();
  readonly #sources = new Map<RTCRtpTransceiver, LineSource>();
  readonly #descriptions: TokenBucket;
  /** What the other end's last description said its lines carry. */
  #announced = new Map<string, LineSource>();
  /** Signals in the inbox, by their weight. */
  #waiting = 0;
  #channel: Channel | null = null;
  #files: FileChannel | null = null;
  #making = false;
  /** At the caller, until the two ends have agreed again. */
  #isRestarting = false;
  /** At the callee: what it has asked for since the last offer came. */
  #asked: "offer" | "restart" | null = null;
  /** From the first description on, the browser asks the servers that it has then: before `iceGatheringState` says so. */
  #hasAsked = false;
  readonly #inbox = new SerialQueue();
  #candidates: RTCIceCandidate[] = [];
  #cancelBatch: Cancel | null = null;
  #cancelRestart: Cancel | null = null;
  #cancelLook: Cancel | null = null;

  constructor(options: LinkOptions, events: LinkEvents, clock: Clock = systemClock) {
    this.#events = events;
    this.#options = options;
    this.#clock = clock;
    this.#descriptions = new TokenBucket(LINK_BUDGETS.descriptions, clock);
    this.#addresses = new LinkAddresses(options.ice, () => events.addressRefused(), clock);
    this.connection = new RTCPeerConnection(configurationOf(options.ice));
    this.connection.onnegotiationneeded = () => void (options.caller ? this.#offer() : this.#ask(false));
    this.connection.onicecandidate = ({ candidate }) => candidate && this.#candidate(candidate);
    this.connection.onconnectionstatechange = () => this.#changed();
    this.connection.onsignalingstatechange = () => this.connection.signalingState === "stable" && this.#agreed();
    this.connection.ontrack = ({ transceiver }) => this.#track(transceiver);
    // The one channel there is needs no event: another one would be read by nobody.
    this.connection.ondatachannel = () => this.#breach("malformed");
    if (options.caller) {
      this.#open("microphone", options);
      this.#open("camera", options);
      this.#openChannel();
    }
  }

  /** Says something to the other end, past the server. False: it cannot be said now, and is not kept. */
  say(kind: ChannelKind, body: Uint8Array): boolean {
    return this.#channel?.send(kind, body) ?? false;
  }

  /** The way for files; null where none go, or the two ends have not agreed on anything yet. */
  get files(): FileChannel | null {
    return this.#files;
  }

  /** A line for both ends' screens, or for the sound of these. The caller's, once the link is connected: it makes all lines. */
  openScreen(source: ScreenSource): void {
    this.#open(source, { direction: this.#options.direction, stream: this.#screen });
  }

  /** Signals of the other end, in the order they were sent. One that cannot be applied is skipped. */
  receive(signal: Signal): void {
    if (this.connection.signalingState === "closed") return;
    const weight = signal.type === "candidates" ? 1 : DESCRIPTION_COUNTS;
    if (this.#waiting + weight > MOST_WAITING) return this.#breach("flood");
    this.#waiting += weight;
    void this.#inbox.run(async () => {
      await this.#apply(signal).catch(() => undefined);
      this.#waiting -= weight;
    });
  }

  /** The way in which this end sends its sound changed. It holds once both ends have agreed again; sound goes on meanwhile. */
  renegotiate(): void {
    void (this.#options.caller ? this.#inbox.run(() => this.#offerAgain()) : this.#ask(false));
  }

  /**
   * Other servers from now on. A connection that has not come about looks for a way by these, and so does one whose way may be
   * another one now.
   */
  use(ice: Ice): void {
    if (this.connection.signalingState === "closed") return;
    const isOther = ice.relayOnly !== this.#addresses.ice.relayOnly;
    this.#addresses.ice = ice;
    this.connection.setConfiguration(configurationOf(ice));
    if (this.#hasAsked && (isOther || this.connection.connectionState !== "connected")) this.restart();
  }

  /** The network changed: look for a new way at once, and once more where one is being looked for, by what was known then. */
  restart(): void {
    const { connectionState, signalingState } = this.connection;
    if (signalingState === "closed") return;
    this.#stopRestart();
    this.#isRestarting = false;
    if (isLost(connectionState)) this.#retry();
    else this.#restartIce();
  }

  close(): void {
    this.#stopRestart();
    this.#cancelLook?.();
    this.#cancelBatch?.();
    this.connection.onconnectionstatechange = null;
    this.connection.close();
  }

  #open(source: LineSource, { direction, stream }: Pick<LinkOptions, "direction" | "stream">) {
    this.#line(this.connection.addTransceiver(kindOf(source), { direction, streams: [stream] }), source);
  }

  #openChannel(): void {
    this.#channel ??= new Channel(this.connection, {
      heard: (kind, body) => this.#events.heard(kind, body),
      opened: () => this.#events.opened?.(),
      breached: (breach) => this.#breach(breach),
    });
    const { files } = this.#events;
    if (files === undefined) return;
    const breached = (breach: Breach) => this.#breach(breach);
    this.#files ??= new FileChannel(this.connection, { ...files, breached }, this.#clock);
  }

  #breach(breach: Breach): void {
    if (this.connection.signalingState === "closed") return;
    this.close();
    this.#events.breached(breach);
  }

  #line(transceiver: RTCRtpTransceiver, source: LineSource): void {
    this.#known.add(transceiver);
    this.#sources.set(transceiver, source);
    try {
      this.#events.line(transceiver, source);
    } catch (error) {
      // Firefox throws where the worker of a transform has died. A line without one would let frames by there.
      transceiver.stop();
      throw error;
    }
  }

  /** The other end's line: it carries this end's source of the same name back. `track` fires again on re-activated lines. */
  #track(transceiver: RTCRtpTransceiver): void {
    if (this.#known.has(transceiver)) return;
    const source = transceiver.mid === null ? undefined : this.#announced.get(transceiver.mid);
    if (source === undefined) return transceiver.stop();
    transceiver.direction = this.#options.direction;
    const isScreen = source === "screen-picture" || source === "screen-sound";
    transceiver.sender.setStreams(isScreen ? this.#screen : this.#options.stream);
    this.#line(transceiver, source);
  }

  async #offer(): Promise<void> {
    try {
      this.#making = true;
      await this.#setLocal(() => this.connection.createOffer());
      this.#describe();
    } catch {
      // The connection closed meanwhile.
    } finally {
      this.#making = false;
    }
  }

  /** An offer that is on its way serves as well: the answer is what it takes. */
  async #offerAgain(): Promise<void> {
    if (!this.#making && this.connection.signalingState === "stable") await this.#offer();
  }

  #restartIce(): void {
    if (this.connection.signalingState === "closed" || this.#isRestarting) return;
    if (!this.#options.caller) return void this.#ask(true);
    this.#isRestarting = true;
    this.connection.restartIce();
  }

  /**
   * The caller is to offer. Asked once, since all that is asked comes there, if only when a lost network is back; and behind the
   * answer to an offer that is being answered, which may have been made by what held before.
   */
  #ask(iceRestart: boolean): Promise<void> {
    return this.#inbox.run(async () => {
      const isAsked = this.#asked === "restart" || (this.#asked === "offer" && !iceRestart);
      if (isAsked || this.connection.signalingState === "closed") return;
      this.#asked = iceRestart ? "restart" : "offer";
      this.#events.signal({ type: "renegotiate", iceRestart });
    });
  }

  /** Browsers decode in stereo what the description here says so of, and take no other way of having them do it. */
  async #setLocal(create: () => Promise<RTCSessionDescriptionInit>): Promise<void> {
    this.#hasAsked = true;
    if (!this.#hasScreenSound) return this.connection.setLocalDescription();
    const { type, sdp = "" } = await create();
    const stereo = heardInStereo(sdp);
    if (stereo === null) return this.connection.setLocalDescription();
    // A browser that takes no description but its own decodes it as it likes.
    await this.connection.setLocalDescription({ type, sdp: stereo }).catch(() => this.connection.setLocalDescription());
  }

  get #hasScreenSound(): boolean {
    return [...this.#sources.values()].includes("screen-sound");
  }

  async #apply(signal: Signal): Promise<void> {
    if (signal.type === "candidates") return this.#addCandidates(signal.candidates);
    await this.#turn();
    const isOffer = signal.type === "description" && signal.description.type === "offer";
    if (isOffer === this.#options.caller) return this.#breach("malformed");
    if (signal.type === "renegotiate") return signal.iceRestart ? this.#restartIce() : this.#offerAgain();
    if (isOffer) this.#asked = null;
    const { description, lines } = signal;
    const { sound, startBitrate } = this.#options;
    const announced = new Map(lines.map(({ mid, source }) => [mid, source]));
    const soundOf = (mid: string | null) => {
      const source = announced.get(mid ?? "");
      return source === undefined ? undefined : sound?.(source);
    };
    const taken = received(description.sdp, { sound: soundOf, startBitrate, isReachable: this.#addresses.takes });
    if (taken === null || !this.#isAgreed(taken.sections, lines)) return this.#breach("malformed");
    this.#announced = announced;
    await this.connection.setRemoteDescription({ ...description, sdp: taken.sdp });
    if (description.type === "answer") return;
    // Made here and not at the start, it goes into the answer: it takes no offer of the callee's own.
    this.#openChannel();
    await this.#setLocal(() => this.connection.createAnswer());
    this.#describe();
  }

  /** Descriptions take time, and so does what asks for one: those that come too fast wait, and what comes after them. */
  async #turn(): Promise<void> {
    const overdrawn = -this.#descriptions.take();
    const wait = (1_000 * overdrawn) / LINK_BUDGETS.descriptions.perSecond;
    if (wait > 0) await new Promise<void>((done) => void this.#clock.after(milli(wait), done));
  }

  /**
   * Whether the other end keeps to what both ends know: the caller alone makes media sections, one for each source, each of
   * which carries that source for good; and there is one channel.
   */
  #isAgreed(sections: Section[], lines: readonly AnnouncedLine[]): boolean {
    const sources = new Map(lines.map(({ mid, source }) => [mid, source]));
    if (sources.size < lines.length || new Set(sources.values()).size < lines.length) return false;
    const media = sections.filter(({ kind, isRejected }) => kind !== "application" && !isRejected);
    const hasOneChannel = sections.filter(({ kind }) => kind === "application").length <= 1;
    return hasOneChannel && media.every(({ kind, mid }) => this.#isSourceOf(kind, mid, sources.get(mid ?? "")));
  }

  #isSourceOf(kind: string, mid: string | null, source: LineSource | undefined): boolean {
    const known = [...this.#sources].find(([transceiver]) => transceiver.mid === mid)?.[1];
    if (known !== undefined) return source === known;
    if (this.#options.caller || source === undefined || mid === null) return false;
    return kind === kindOf(source) && ![...this.#sources.values()].includes(source);
  }

  async #addCandidates(candidates: readonly RTCIceCandidateInit[]): Promise<void> {
    for (const candidate of candidates) {
      if (!this.#addresses.takes(candidate.candidate ?? "")) continue;
      // Candidates of an offer that was ignored, or of a description that is gone, do not fit: others will.
      await this.connection.addIceCandidate(candidate).catch(() => undefined);
    }
  }

  #describe(): void {
    const description = this.connection.localDescription;
    if (description === null || (description.type !== "offer" && description.type !== "answer")) return;
    const lines = [...this.#sources].flatMap(([{ mid }, source]) => (mid === null ? [] : [{ mid, source }]));
    const sdp = sent(description.sdp, this.#addresses.said, this.#addresses.ice.relayOnly);
    this.#events.signal({ type: "description", description: { type: description.type, sdp }, lines });
  }

  #candidate(candidate: RTCIceCandidate): void {
    this.#candidates.push(candidate);
    this.#cancelBatch ??= this.#clock.after(CANDIDATE_BATCH, () => {
      this.#cancelBatch = null;
      // What is hidden since it was gathered is not said any more.
      const candidates = this.#candidates.splice(0).flatMap((one) => {
        const { sdpMid, sdpMLineIndex, usernameFragment } = one;
        const candidate = this.#addresses.said(one.candidate);
        return candidate === null ? [] : [{ candidate, sdpMid, sdpMLineIndex, usernameFragment }];
      });
      if (candidates.length > 0) this.#events.signal({ type: "candidates", candidates });
    });
  }

  #agreed(): void {
    this.#isRestarting = false;
    this.#cancelLook ??= this.#clock.after(LOOK_AGAIN_AFTER, () => this.#look());
    this.#events.agreed?.();
  }

  /** Of two ends none of whose addresses came to the other, the browser says neither that they connect nor that they fail. */
  #look(): void {
    const state = this.connection.connectionState;
    if (state !== "new" && state !== "connecting") return;
    this.#restartIce();
    this.#cancelLook = this.#clock.after(LOOK_AGAIN_AFTER, () => this.#look());
  }

  #changed(): void {
    const state = this.connection.connectionState;
    if (state === "connected") {
      this.#stopRestart();
      this.#events.state("connected");
    } else if (isLost(state)) {
      this.#events.state("reconnecting");
      const wait = state === "failed" ? milli(0) : RESTART_AFTER;
      this.#cancelRestart ??= this.#clock.after(wait, () => this.#retry());
    } else if (state === "closed") {
      this.#events.state("reconnecting");
    }
  }

  #retry(): void {
    this.#restartIce();
    this.#cancelRestart = this.#clock.after(RESTART_GAP, () => this.#retry());
  }

  #stopRestart(): void {
    this.#cancelRestart?.();
    this.#cancelRestart = null;
  }
}

function isLost(state: RTCPeerConnectionState): boolean {
  return state === "disconnected" || state === "failed";
}
