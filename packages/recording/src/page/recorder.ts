import { atMostEvery, milli, SerialQueue, systemClock } from "@sealcast/time";
import {
  type AddedPicture,
  type Ended,
  type FromRecorder,
  type RecordingShape,
  SOUND,
  type ToRecorder,
  VIDEO_CODECS,
} from "../shared/messages.ts";
import { canReadFrames, framesOf, soundOf } from "./frames.ts";
import { SoundMix } from "./sound-mix.ts";

/** Where a recording goes as it is made: appended only, never changed. */
export interface Sink {
  /**
   * Resolves when the bytes are sealed and written; called again only then. Rejects with an Error whose `name` is
   * "StorageFullError" when the storage is full: all bytes before are kept.
   */
  append(bytes: Uint8Array): Promise<void>;
}

/** A person in a recording. The tracks stay the caller's. */
export interface Voice {
  readonly id: string;
  readonly name: string;
  readonly video: MediaStreamTrack | null;
  readonly audio: MediaStreamTrack | null;
}

/**
 * Why a recording ended by itself: the storage is full, the sink rejected otherwise, the browser could not encode, or the
 * worker ended. What was appended before is kept, and plays.
 */
export type RecorderFault = "storage-full" | "storage" | "encoder" | "worker";

export interface RecorderStatus {
  readonly state: "recording" | "paused" | "stopped" | "failed";
  /** How long it plays; pauses do not count. */
  readonly seconds: number;
  /** Appended. */
  readonly bytes: number;
  /** Pictures that were left out since the computer or the storage was too slow. */
  readonly droppedFrames: number;
  /** While the state is "failed". */
  readonly why: RecorderFault | null;
}

export interface Recorded {
  readonly seconds: number;
  readonly mimeType: string;
  /** A JPEG of at most 32 KiB. */
  readonly thumbnail: Uint8Array | null;
}

const SHAPE: RecordingShape = { width: 1280, height: 720, framesPerSecond: 30 };
const STATUS_GAP = milli(500);

/**
 * Records several people as one video: a grid of their pictures with their names, and their sound mixed, as a fragmented MP4
 * that is appended to a sink as it is made. Drawn and encoded in a worker, so that a hidden page goes on.
 */
export class Recorder {
  readonly #worker: Worker;
  readonly #sink: Sink;
  readonly #mix = new SoundMix();
  readonly #pictures = new Map<MediaStreamTrack, number>();
  readonly #tellStatus: () => void;
  readonly #started = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<Ended>();
  #status: RecorderStatus = { state: "recording", seconds: 0, bytes: 0, droppedFrames: 0, why: null };
  readonly #appending = new SerialQueue();
  #isSinkBroken = false;
  /** How long what was appended plays. */
  #keptSeconds = 0;
  #pictureCount = 0;

  /** Whether this browser can: it gives pages the frames of tracks, and encodes Opus and one of the video codecs. */
  static async isSupported(): Promise<boolean> {
    if (!canReadFrames() || !("OffscreenCanvas" in globalThis && "VideoEncoder" in globalThis)) return false;
    const { width, height } = SHAPE;
    const sound = { codec: "opus", numberOfChannels: SOUND.channels, sampleRate: SOUND.sampleRate };
    if (!(await AudioEncoder.isConfigSupported(sound)).supported) return false;
    for (const { example } of VIDEO_CODECS)
      if ((await VideoEncoder.isConfigSupported({ codec: example, width, height })).supported) return true;
    return false;
  }

  /**
   * @param spawn runs `@sealcast/recording/worker`; the recorder ends that worker
   * @param onStatus at most twice a second, until it has ended
   * @param options width and height are even
   */
  constructor(
    spawn: () => Worker,
    sink: Sink,
    onStatus: (status: RecorderStatus) => void,
    options: Partial<RecordingShape> = {},
  ) {
    this.#sink = sink;
    this.#tellStatus = atMostEvery(systemClock, STATUS_GAP, () => onStatus(this.#status));
    this.#worker = spawn();
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromRecorder>) => this.#heard(data));
    this.#worker.addEventListener("error", () => this.#crashed());
    // A caller that does not wait for the start hears of a fault by the status.
    this.#started.promise.catch(() => undefined);
    const sound = soundOf(this.#mix.track);
    this.#post({ type: "open", shape: { ...SHAPE, ...options }, sound }, [sound]);
  }

  /** Resolves once it records; rejects where it cannot. Called after the person asked for it: browsers want that for sound. */
  start(): Promise<void> {
    this.#mix.start();
    this.#post({ type: "start" });
    return this.#started.promise;
  }

  /**
   * Who is seen and heard, in this order; called again at each change (someone joins, leaves, turns a camera off, says no).
   * Of nobody else there is a picture or sound from then on.
   */
  show(voices: readonly Voice[]): void {
    this.#mix.hear(new Set(voices.flatMap(({ audio }) => live(audio))));
    const shown = new Set(voices.flatMap(({ video }) => live(video)));
    for (const track of this.#pictures.keys()) if (!shown.has(track)) this.#pictures.delete(track);
    const added = [...shown].flatMap((track) => this.#add(track));
    const message: ToRecorder = {
      type: "show",
      voices: voices.map(({ name, video }) => ({ name, picture: (video && this.#pictures.get(video)) ?? null })),
      added,
    };
    this.#post(
      message,
      added.map(({ frames }) => frames),
    );
  }

  /** Time stands still until `resume`: nothing of what happens meanwhile is in the file. */
  pause(): void {
    if (this.#status.state !== "recording") return;
    this.#post({ type: "pause" });
    this.#tell({ state: "paused" });
  }

  resume(): void {
    if (this.#status.state !== "paused") return;
    this.#post({ type: "resume" });
    this.#tell({ state: "recording" });
  }

  /** Ends the file; resolves once all was appended. After a fault: with what was appended up to it. */
  async stop(): Promise<Recorded> {
    this.#post({ type: "stop" });
    const { mimeType, thumbnail } = await this.#ended.promise;
    await this.#appending.run(() => undefined);
    if (this.#status.state !== "failed") this.#tell({ state: "stopped", seconds: this.#keptSeconds });
    return { seconds: this.#keptSeconds, mimeType, thumbnail };
  }

  #add(track: MediaStreamTrack): AddedPicture[] {
    if (this.#pictures.has(track)) return [];
    const picture = this.#pictureCount++;
    this.#pictures.set(track, picture);
    return [{ picture, frames: framesOf(track) }];
  }

  #heard(message: FromRecorder): void {
    switch (message.type) {
      case "started":
        return this.#started.resolve();
      case "append":
        void this.#appending.run(() => this.#append(message));
        return;
      case "progress":
        return this.#tell({ seconds: message.seconds, droppedFrames: message.droppedFrames });
      case "failed":
        return this.#fail("encoder", message.reason);
      case "ended":
        return this.#end(message);
    }
  }

  async #append({ bytes, seconds }: Extract<FromRecorder, { type: "append" }>): Promise<void> {
    // One that is missing makes all after it useless.
    if (this.#isSinkBroken) return;
    const { length } = bytes;
    try {
      await this.#sink.append(bytes);
    } catch (error) {
      this.#isSinkBroken = true;
      this.#fail(error instanceof Error && error.name === "StorageFullError" ? "storage-full" : "storage");
      return this.#post({ type: "abandon" });
    }
    this.#keptSeconds = seconds;
    this.#tell({ bytes: this.#status.bytes + length });
    this.#post({ type: "appended", bytes: length });
  }

  #crashed(): void {
    this.#fail("worker");
    this.#end({ mimeType: "video/mp4", thumbnail: null });
  }

  #fail(why: RecorderFault, cause?: unknown): void {
    if (this.#status.state === "failed") return;
    this.#tell({ state: "failed", why });
    this.#started.reject(new Error(`The recording failed: ${why}.`, { cause }));
  }

  #end(ended: Ended): void {
    this.#worker.terminate();
    this.#mix.close();
    this.#ended.resolve(ended);
  }

  #tell(change: Partial<RecorderStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#tellStatus();
  }

  #post(message: ToRecorder, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}

/** A track that has ended gives nothing, and browsers refuse to read it. */
function live(track: MediaStreamTrack | null): MediaStreamTrack[] {
  return track?.readyState === "live" ? [track] : [];
}
