import { type Attachment, type MediaKind, PICTURE_TRACKS, type Size, SOUND_TRACK, type Verdict } from "@sealcast/media";
import type { LinkState } from "@sealcast/network";
import type { LiveRelayAccess } from "@sealcast/network/live-relay-messages";
import type { PlayerEvent, WorkerPlayer } from "@sealcast/player";
import { PICTURE_TIMES } from "@sealcast/player/messages";
import type { RelayedFrame } from "@sealcast/protocol";
import { type Milli, milli } from "@sealcast/time";
import type { Proven, ProvenLine } from "../audit/browser-counters.ts";
import { computerTime, type TimedLink, type TimingAnswer, type TimingAsk } from "../measuring/timing.ts";
import type { MediaSession } from "../media-session.ts";
import { playedAs } from "../peer/codecs.ts";
import type { Stats } from "../peer/link-stats.ts";
import { Verdicts } from "../peer/verdicts.ts";
import { type Buffering, MODES } from "./buffering.ts";
import { MOST_TIMED } from "./messages.ts";
import { RelayLatency } from "./relay-latency.ts";
import { RelayWorker, SIGNATURES } from "./relay-worker.ts";
import { SizeChoice } from "./size-choice.ts";
import type { StreamWorkers } from "./stream-workers.ts";

/** The host is the one leaf of a stream. */
export const HOST_LEAF = 0;

/** A decoder gets the size of the largest picture that a stream has: what comes says its own size. */
const LARGEST = { width: 1920, height: 1080 };
const SOUND = { codec: "opus", sampleRate: 48_000, channels: 2 } as const;
const SOUND_TYPE = "audio/opus";
/** Signatures first, as nothing plays on without them, then sound. */
const PRIORITY = { signatures: 3, audio: 2, video: 1 } as const;
/** A host that does not answer a dashboard is asked again after so long. */
const ANSWER_WITHIN = milli(5_000);
/** What plays was not to be had: the server that gives its scripts may be away. */
const OPENED_AGAIN = milli(5_000);
const SOURCES = { video: "camera", audio: "microphone" } as const;

interface RelayedStreamOptions {
  readonly media: MediaSession;
  readonly workers: Pick<StreamWorkers, "relay" | "player">;
  /** Of the picture. */
  readonly codec: string;
  readonly buffering: Buffering;
  /** With which of the relays, counted on and on. */
  readonly begin: number;
  /** Asks the server for access. */
  ask(): void;
  /** Asks the host what it measured of these frames. */
  askTiming(message: TimingAsk, frames: number[]): void;
  /** The player is there: what shows its picture. */
  shows(output: WorkerPlayer["output"]): void;
  /** A first picture is shown. */
  played(): void;
  /** `isLate` is another. */
  late(): void;
  changed(): void;
}

interface Reading {
  readonly at: Milli;
  readonly entries: readonly Stats[];
}

/**
 * A viewer's way to the host's picture over relays: what comes is opened and held against the host's signatures as it is over a
 * connection, then played.
 */
export class RelayedStream implements Proven {
  readonly name = null;
  readonly stats: Proven["stats"];
  readonly codec: string;
  /** To be measured. */
  readonly timed: TimedLink;
  readonly #options: RelayedStreamOptions;
  readonly #relay: RelayWorker;
  readonly #opened = new Map<MediaKind, Attachment>();
  readonly #choice = new SizeChoice();
  /** Which size of the picture comes, 0 for the largest. */
  #size = 0;
  /** Changes of it so far: what was shown since one is held against what was opened since. */
  #changes = 0;
  #player: WorkerPlayer | null = null;
  readonly #latency: RelayLatency;
  #state: LinkState = "connecting";
  readonly #verdicts: Verdicts;
  #wasLost = false;
  #isClosed = false;
  #isSent = false;
  #isLate = false;
  #listens = false;
  #buffering: Buffering;
  #volume = 1;
  #isRecorded = false;
  #latest: Reading = { at: milli(Number.NaN), entries: [] };
  #pictures = new Float64Array();
  /** What the host has not answered yet; null: nothing. */
  #askedAt: Milli | null = null;

  constructor(options: RelayedStreamOptions) {
    this.#options = options;
    this.codec = options.codec;
    this.#buffering = options.buffering;
    const latest = () => this.#latest;
    this.stats = {
      read: () => this.#read(),
      get latest() {
        return latest();
      },
    };
    this.timed = this.#timed();
    const { clock } = options.media.life;
    this.#latency = new RelayLatency(clock);
    this.#verdicts = new Verdicts(clock, () => options.changed());
    const { workers, ask, begin } = options;
    const state = ({ is }: { is: string }) => this.#linked(is === "connected");
    this.#relay = new RelayWorker({ type: "subscribe", begin }, { worker: workers.relay(), ask, state });
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<RelayedFrame>) => options.media.pool?.verify(data.data, HOST_LEAF);
    this.#watch(SIGNATURES, PRIORITY.signatures, port2);
    void this.#play();
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Whether what comes is signed by the host: where it is not, nothing opens. */
  get verdict(): Verdict {
    return this.#verdicts.worst;
  }

  get wasLost(): boolean {
    return this.#wasLost;
  }

  get lines(): ProvenLine[] {
    return [...this.#opened].map(([kind, received]) => ({
      ...{ source: SOURCES[kind], kind, transceiver: { mid: this.#mid(kind) }, isRelayed: true },
      ...{ sent: null, received },
    }));
  }

  /** Frames come later than can be made up for, or did a while ago: a smaller size is watched where there is one. */
  get isLate(): boolean {
    return this.#isLate;
  }

  given(access: LiveRelayAccess): void {
    this.#relay.given(access);
  }

  /** In a click where it is to be heard. As long as it is not, none comes. */
  listen(on: boolean): void {
    this.#listens = on;
    if (this.#player === null) return;
    if (on) {
      void this.#player.output.unmute();
      this.#open("audio", SOUND_TYPE);
    } else {
      void this.#player.output.mute();
      this.#drop("audio");
    }
    this.#configure();
  }

  /** From the host's encoder to the screen, milliseconds; null before that is known. */
  get latency(): number | null {
    return this.#latency.of(this.#pictures);
  }

  /** The host makes the picture in these sizes, the largest first. */
  offered(sizes: readonly Size[]): void {
    this.#choice.offered(sizes);
  }

  show(shown: Size): void {
    this.#choice.shows(shown);
  }

  /** The host sends something now: what does not come is late. */
  set isSent(isSent: boolean) {
    this.#isSent = isSent;
  }

  set volume(volume: number) {
    this.#volume = volume;
    if (this.#player !== null) this.#player.output.volume = volume;
  }

  /** As a track; null while it is not to be heard, or recorded. */
  get sound(): MediaStreamTrack | null {
    return this.#listens && this.#isRecorded ? (this.#player?.output.sound ?? null) : null;
  }

  /** As long as that is so, the picture also goes on while the page is hidden. */
  set isRecorded(isRecorded: boolean) {
    this.#isRecorded = isRecorded;
    if (this.#player !== null) this.#player.output.isRecorded = isRecorded;
  }

  buffer(buffering: Buffering): void {
    this.#buffering = buffering;
    if (this.#player !== null) this.#player.mode = MODES[buffering];
  }

  /** The picture does not come from this relay, if there is one: on to the next. */
  leave(): void {
    if (this.#state === "connected") this.#relay.post({ type: "leave" });
  }

  close(): void {
    this.#isClosed = true;
    this.#relay.close();
    for (const attachment of this.#opened.values()) attachment.release();
    this.#opened.clear();
    this.#verdicts.clear();
    this.#player?.close();
  }

  #timed(): TimedLink {
    const lines = () => this.lines;
    const pictures = () => this.#pictures;
    return {
      ...{ name: null, stats: this.stats, isRelays: true },
      get lines() {
        return lines().map((line) => ({ ...line, ...(line.kind === "video" && { pictures: pictures() }) }));
      },
      tellTiming: (message) => {
        if (message.type === "ask") this.#askTiming(message, timesOf(this.#pictures).slice(-MOST_TIMED));
      },
    };
  }

  /** One question at a time: where nothing comes from the host, none is to be held back for it. */
  #askTiming(message: TimingAsk, frames: number[]): void {
    const now = this.#options.media.life.clock.now();
    if (this.#askedAt !== null && now - this.#askedAt < ANSWER_WITHIN) return;
    this.#askedAt = now;
    this.#options.askTiming(message, frames);
  }

  /** What the host measured. */
  told(answer: TimingAnswer, came: number): void {
    this.#askedAt = null;
    if (answer.type === "clock") this.#latency.answered({ ...answer, answered: came });
    this.#options.media.parts?.timing.take(this.timed, answer, came);
  }

  async #play(): Promise<void> {
    const { media, codec, shows } = this.#options;
    const player = await this.#openPlayer();
    if (this.#isClosed || media.life.isOver) return player?.close();
    if (player === null) return void media.life.clock.after(OPENED_AGAIN, () => void this.#play());
    this.#player = player;
    player.mode = MODES[this.#buffering];
    player.output.volume = this.#volume;
    player.output.isRecorded = this.#isRecorded;
    shows(player.output);
    this.#open("video", codec);
    if (this.#listens) this.listen(true);
    this.#configure();
  }

  /** Null where the browser does not load it, or the sound's script. */
  async #openPlayer(): Promise<WorkerPlayer | null> {
    const hears = (event: PlayerEvent) => {
      if (event.type === "first-picture") this.#options.played();
    };
    try {
      // No other page plays a stream itself.
      const { WorkerPlayer } = await import("@sealcast/player");
      return await WorkerPlayer.open(this.#options.workers.player(), MODES[this.#buffering], hears);
    } catch {
      return null;
    }
  }

  #configure(): void {
    const codec = playedAs(this.codec);
    // The player tells one size's frames from another's by this.
    const [width, height] = [LARGEST.width >> this.#size, LARGEST.height >> this.#size];
    const video = codec === null ? null : { codec, width, height };
    this.#player?.configure({ video, audio: this.#listens ? SOUND : null });
  }

  #open(kind: MediaKind, mimeType: string): void {
    const { pool } = this.#options.media;
    if (pool === null || this.#opened.has(kind)) return;
    let attachment: Attachment | null = null;
    const ports = () => {
      const [sealed, opened] = [new MessageChannel(), new MessageChannel()];
      // A worker that takes another's place asks for them again, also for what is only judged.
      if (attachment === null || !this.#verdicts.hasEnded(attachment)) {
        this.#watch(this.#track(kind), PRIORITY[kind], sealed.port1);
        this.#player?.feed(kind, opened.port2);
      }
      return { mimeType, from: sealed.port2, to: opened.port1 };
    };
    const of = { kind, source: SOURCES[kind], leaf: HOST_LEAF };
    attachment = pool.openPublished(of, ports, this.#verdicts.ofTrack());
    this.#opened.set(kind, attachment);
  }

  #drop(kind: MediaKind): void {
    const attachment = this.#opened.get(kind);
    this.#opened.delete(kind);
    this.#relay.post({ type: "unwatch", track: this.#track(kind) });
    if (attachment !== undefined) this.#verdicts.end(attachment);
  }

  #track(kind: MediaKind): string {
    return kind === "video" ? (PICTURE_TRACKS[this.#size] ?? "") : SOUND_TRACK;
  }

  #mid(kind: MediaKind): string {
    return `${kind}${kind === "video" ? this.#changes : ""}`;
  }

  /** Another size is watched in the place of the present one. */
  #resize(size: number): void {
    if (size === this.#size || !this.#opened.has("video")) return;
    this.#drop("video");
    this.#size = size;
    this.#changes++;
    this.#open("video", this.codec);
    this.#configure();
  }

  #watch(track: string, priority: number, port: MessagePort): void {
    this.#relay.post({ type: "watch", track, priority, port }, [port]);
  }

  /** What the player showed stands in the place of what a browser counts of a connection. */
  async #read(): Promise<Reading> {
    const mid = this.#mid("video");
    const figures = await this.#player?.figures();
    const { came = 0, waiting = 0, shown = 0, latenessMs = 0, pictures = this.#pictures } = figures ?? {};
    this.#pictures = pictures;
    if (pictures.length > 0 && this.#latency.isDue()) this.#askTiming({ type: "ask", asked: computerTime() }, []);
    const at = this.#options.media.life.clock.now();
    const tells = this.#isSent && !this.#isClosed && !document.hidden && this.verdict === "signed";
    if (tells) this.#resize(this.#choice.examine(at, latenessMs));
    this.#hearsLate(tells && this.#choice.isLate);
    const dropped = came - waiting - shown;
    const counts = { packetsReceived: came, framesReceived: came, framesDecoded: shown, framesDropped: dropped };
    const entry = { id: "relay", timestamp: at, type: "inbound-rtp", kind: "video", mid } as const;
    const video = { ...entry, ...counts, retransmittedPacketsReceived: 0 };
    this.#latest = { at, entries: [video] };
    return this.#latest;
  }

  #hearsLate(isLate: boolean): void {
    if (isLate === this.#isLate || this.#isClosed) return;
    this.#isLate = isLate;
    this.#options.late();
  }

  #linked(isConnected: boolean): void {
    if (this.#isClosed) return;
    if (!isConnected && this.#state === "connected") this.#wasLost = true;
    this.#state = isConnected ? "connected" : this.#wasLost ? "reconnecting" : "connecting";
    this.#options.changed();
  }
}

/** Of pictures that were shown, by the sender's clock. */
function timesOf(pictures: Float64Array): number[] {
  return Array.from({ length: pictures.length / PICTURE_TIMES }, (_, row) => Number(pictures[row * PICTURE_TIMES]));
}
