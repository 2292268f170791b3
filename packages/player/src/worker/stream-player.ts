import { type Cancel, type Clock, type Milli, milli, systemClock } from "@sealcast/time";
import type {
  PageToPlayer,
  PlayerConfig,
  PlayerEvent,
  PlayerFigures,
  PlayerFrame,
  PlayerMode,
  PlayerOutputs,
} from "../shared/messages.ts";
import { Arrivals } from "./arrivals.ts";
import { Drops } from "./drops.ts";
import { type Decoders, webCodecs } from "./frame-decoder.ts";
import { PictureQueue } from "./picture-queue.ts";
import { PictureTimes } from "./picture-times.ts";
import { Playhead } from "./playhead.ts";
import { type PictureScreen, screenOn } from "./screen.ts";
import { SoundPlayback, type SoundPort } from "./sound-playback.ts";
import { captured } from "./video-buffer.ts";
import { VideoPlayback } from "./video-playback.ts";

/** How often it is looked what is due, where nothing else says so sooner. */
const LOOK_GAP_MS = 50;
const MOST_FRAME_BYTES = 4 << 20;
/** Frames that all have another time, for so long, are a new timeline: the sender restarted. */
const NEW_TIMELINE_MS = 1_000;

/** What a player plays on. */
export interface PlayerParts {
  readonly screen: PictureScreen;
  readonly sound: SoundPort | null;
  readonly decoders: Decoders;
  readonly clock: Clock;
}

/**
 * Plays a live stream from its encoded frames: holds them for as long as they differ in lateness, decodes, and gives sound
 * and pictures out at their time. Nothing of it throws; what cannot be played is counted.
 */
export class StreamPlayer {
  readonly #parts: PlayerParts;
  readonly #told: (event: PlayerEvent) => void;
  readonly #drops = new Drops();
  readonly #times: PictureTimes;
  readonly #pictures: PictureQueue;
  #mode: PlayerMode;
  #config: PlayerConfig = { video: null, audio: null };
  #video: VideoPlayback | null = null;
  #sound: SoundPlayback | null = null;
  #arrivals: Arrivals;
  #playhead: Playhead | null = null;
  /** Since when frames are of another time than the timeline's. */
  #offSince: Milli | null = null;
  #isHidden = false;
  #outputLatencyMs = 0;
  #cancel: Cancel;
  #isClosed = false;
  #decodedBefore = 0;

  /** `open` makes one of what a page gives. */
  constructor(parts: PlayerParts, mode: PlayerMode, told: (event: PlayerEvent) => void) {
    this.#parts = parts;
    this.#mode = mode;
    this.#told = told;
    this.#times = new PictureTimes(parts.clock);
    this.#pictures = new PictureQueue(parts.screen, this.#drops, this.#times);
    this.#arrivals = new Arrivals(mode);
    this.#cancel = parts.clock.after(milli(LOOK_GAP_MS), () => this.#play());
    // Reports that nobody takes would wait in the port, for as long as no sound is played.
    if (parts.sound !== null) parts.sound.onmessage = () => undefined;
  }

  /** Plays on what `StreamOutput` of the page gave. */
  static open(outputs: PlayerOutputs, mode: PlayerMode, told: (event: PlayerEvent) => void): StreamPlayer {
    const { sound } = outputs;
    const parts = { screen: screenOn(outputs.pictures), sound, decoders: webCodecs, clock: systemClock };
    const player = new StreamPlayer(parts, mode, told);
    outputs.page.onmessage = ({ data }: MessageEvent<PageToPlayer>) => player.#hear(data);
    return player;
  }

  set mode(mode: PlayerMode) {
    this.#mode = mode;
    this.#arrivals.mode = mode;
  }

  /**
   * Decodes this from now on. Another size of a stream goes on in the same time, from a key frame; of the track that stays
   * nothing is lost. Frames of the size before must not come any more.
   */
  configure(config: PlayerConfig): void {
    const before = this.#config;
    this.#config = config;
    if (!isSame(before.video, config.video) || this.#video === null) this.#openVideo();
    if (!isSame(before.audio, config.audio) || this.#sound === null) this.#openSound();
  }

  push(frame: PlayerFrame): void {
    if (this.#isClosed) return;
    if (!isWhole(frame)) return this.#drops.count("malformed");
    if (!this.#isOnTimeline(frame)) return this.#drops.count("off-timeline");
    if (frame.track === "video" && this.#isHidden) return this.#drops.count("hidden");
    if (frame.track === "video") this.#video?.push(frame);
    else this.#sound?.push(frame);
    this.#play();
  }

  /** Pictures are neither decoded nor shown while it is true; sound goes on. */
  set isHidden(isHidden: boolean) {
    this.#isHidden = isHidden;
    if (this.#video !== null) this.#video.isHidden = isHidden;
  }

  figures(): PlayerFigures {
    const now = this.#parts.clock.now();
    const playhead = this.#playhead;
    return {
      latenessMs: this.#arrivals.latenessAt(now),
      targetMs: this.#arrivals.targetMs,
      bufferMs: playhead === null ? 0 : Math.max(0, this.#arrivals.newestMs - playhead.at(now)),
      decoded: this.#decodedBefore + (this.#video?.decoded ?? 0) + (this.#sound?.decoded ?? 0),
      shown: this.#pictures.shown,
      came: this.#video?.came ?? 0,
      waiting: this.#video?.waiting ?? 0,
      dropped: { ...this.#drops.counts },
      audioUnderruns: this.#sound?.underruns ?? 0,
      jumps: playhead?.jumps ?? 0,
      driftPpm: playhead?.driftPpm ?? 0,
      pictures: this.#times.all,
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
    this.#video?.close();
    this.#sound?.close();
    this.#parts.sound?.postMessage({ type: "close" }, []);
    this.#parts.screen.close();
  }

  #hear(message: PageToPlayer): void {
    if (message.type === "hidden") {
      this.isHidden = message.isHidden;
      return;
    }
    this.#outputLatencyMs = message.ms;
    if (this.#sound !== null) this.#sound.outputLatencyMs = message.ms;
  }

  #openVideo(): void {
    this.#decodedBefore += this.#video?.decoded ?? 0;
    this.#video?.close();
    this.#video = null;
    this.#pictures.begin();
    if (this.#config.video === null) return;
    const { clock, decoders } = this.#parts;
    const failed = (fault: "undecodable" | "unsupported") => this.#told({ type: fault, track: "video" });
    const make = decoders.video(this.#config.video);
    this.#video = new VideoPlayback(clock, make, this.#pictures, this.#times, this.#drops, failed, () => this.#play());
    this.#video.isHidden = this.#isHidden;
  }

  #openSound(): void {
    this.#decodedBefore += this.#sound?.decoded ?? 0;
    this.#sound?.close();
    this.#sound = null;
    const { clock, decoders, sound } = this.#parts;
    if (this.#config.audio === null || sound === null) return;
    const failed = (fault: "undecodable" | "unsupported") => this.#told({ type: fault, track: "audio" });
    const make = decoders.audio(this.#config.audio);
    const playhead = () => this.#playhead;
    this.#sound = new SoundPlayback(clock, make, sound, this.#drops, playhead, failed, () => this.#play());
    this.#sound.outputLatencyMs = this.#outputLatencyMs;
  }

  /** Whether its time fits that of the others; they count for lateness where they are no repetition. */
  #isOnTimeline(frame: PlayerFrame): boolean {
    if (this.#arrivals.add(frame.track, captured(frame), frame.receivedAtMs)) {
      this.#offSince = null;
      return true;
    }
    this.#offSince ??= frame.receivedAtMs;
    if (frame.receivedAtMs - this.#offSince < NEW_TIMELINE_MS) return false;
    this.#restart();
    return false;
  }

  #restart(): void {
    this.#offSince = null;
    this.#arrivals = new Arrivals(this.#mode);
    this.#playhead = null;
    this.#pictures.forgetShown();
    this.#openVideo();
    this.#openSound();
  }

  /** All that is due. It sets the timer for the next look. */
  #play(): void {
    if (this.#isClosed) return;
    const { clock } = this.#parts;
    const now = clock.now();
    const playhead = this.#steered(now);
    let nextMs = LOOK_GAP_MS;
    if (playhead !== null) {
      this.#sound?.play(playhead, now);
      const hadShown = this.#pictures.hasShown;
      nextMs = Math.min(nextMs, this.#video?.play(playhead.at(now)) ?? nextMs);
      if (!hadShown && this.#pictures.hasShown) this.#told({ type: "first-picture" });
    }
    this.#cancel();
    this.#cancel = clock.after(milli(Math.max(1, nextMs)), () => this.#play());
  }

  #steered(now: Milli): Playhead | null {
    const wantedMs = this.#arrivals.wantedAt(now);
    if (wantedMs === null) return null;
    this.#playhead ??= new Playhead(now, wantedMs);
    const isStarved = this.#sound?.isStarvedAt(now) ?? this.#arrivals.newestMs < this.#playhead.at(now);
    const isFree = isStarved || !this.#arrivals.hasSettled;
    this.#playhead.steer(now, wantedMs, isFree, this.#mode);
    return this.#playhead;
  }
}

function isWhole({ group, index, timestampUs, data }: PlayerFrame): boolean {
  const numbers = [group, index, timestampUs];
  return numbers.every((n) => Number.isSafeInteger(n) && n >= 0) && data.length > 0 && data.length <= MOST_FRAME_BYTES;
}

function isSame(a: object | null, b: object | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
