import { type Cancel, type Clock, type Milli, milli } from "@sealcast/time";
import type { FromRecorder, RecordingShape } from "../shared/messages.ts";
import { RecordingFile } from "./file.ts";
import { Painter } from "./painter.ts";
import { SoundTrack } from "./sound-track.ts";
import { thumbnailOf } from "./thumbnail.ts";
import { Timeline } from "./timeline.ts";

/** With more not appended yet the recording stands still until half of it is. */
const MOST_BEHIND_BYTES = 16 * 2 ** 20;
/** A thread that did not run for longer has slept, and so has the recording. */
const SLEPT_SECONDS = 2;
/** By then a camera that was just turned on has given a picture. */
const THUMBNAIL_SECONDS = 2;
const PROGRESS_SECONDS = 0.5;
/** What is encoded comes each second. Sound would pile up in the muxer where no picture does. */
const STUCK_SECONDS = 10;
/** A camera that goes on has given another frame by then. */
const FRAMES_WITHIN = milli(500);
/** Times are sums of fractions. */
const ROUNDING = 1e-6;

type Post = (message: FromRecorder) => void;
/** Why the recording stands still. */
type Hold = "not started" | "paused" | "behind" | "ended";

/** One recording: draws by its own clock, encodes, and gives bytes for the end of a file. */
export class Recording {
  readonly #clock: Clock;
  readonly #post: Post;
  readonly #shape: RecordingShape;
  readonly #mostBehindBytes: number;
  readonly #painter: Painter;
  readonly #timeline: Timeline;
  readonly #held = new Set<Hold>(["not started"]);
  #file: RecordingFile | null = null;
  #sound: SoundTrack | null = null;
  #behindBytes = 0;
  #behindSince = milli(0);
  /** The picture that is due next, counted from the recording's beginning. */
  #next = 0;
  #droppedFrames = 0;
  #progressAt = 0;
  /** When something was last given to the sink. */
  #writtenSeconds = 0;
  #thumbnail: Promise<Uint8Array | null> | null = null;
  #cancel: Cancel = () => undefined;

  constructor(
    shape: RecordingShape,
    sound: ReadableStream<AudioData>,
    clock: Clock,
    post: Post,
    mostBehindBytes = MOST_BEHIND_BYTES,
  ) {
    this.#mostBehindBytes = mostBehindBytes;
    this.#shape = shape;
    this.#clock = clock;
    this.#post = post;
    this.#timeline = new Timeline(clock);
    this.#painter = new Painter(new OffscreenCanvas(shape.width, shape.height));
    void this.#hear(sound);
  }

  /** How long the pictures so far last. */
  get #drawnSeconds(): number {
    return this.#next / this.#shape.framesPerSecond;
  }

  async start(): Promise<void> {
    try {
      this.#file = await RecordingFile.open(this.#painter.canvas, this.#shape, {
        append: (bytes) => this.#append(bytes),
        failed: (error) => this.#fail(error),
      });
    } catch (error) {
      return this.#fail(error);
    }
    this.#sound = new SoundTrack(this.#file);
    this.#post({ type: "started" });
    this.#release("not started");
  }

  show(...shown: Parameters<Painter["show"]>): void {
    this.#painter.show(...shown);
  }

  pause(): void {
    this.#hold("paused");
  }

  resume(): void {
    this.#release("paused");
  }

  appended(bytes: number): void {
    this.#behindBytes -= bytes;
    if (this.#behindBytes > this.#mostBehindBytes / 2 || !this.#held.has("behind")) return;
    this.#droppedFrames += Math.round(((this.#clock.now() - this.#behindSince) / 1_000) * this.#shape.framesPerSecond);
    this.#release("behind");
  }

  async stop(): Promise<void> {
    if (this.#held.has("ended")) return;
    this.#hold("ended");
    this.#sound?.finish(this.#drawnSeconds);
    await this.#file?.finish().catch((error: unknown) => this.#tellFault(error));
    await this.#tellEnd();
  }

  async abandon(): Promise<void> {
    if (this.#held.has("ended")) return;
    this.#hold("ended");
    await this.#file?.cancel().catch(() => undefined);
    await this.#tellEnd();
  }

  #fail(error: unknown): void {
    if (this.#held.has("ended")) return;
    this.#tellFault(error);
    void this.abandon();
  }

  #tellFault(error: unknown): void {
    this.#post({ type: "failed", reason: String(error) });
  }

  async #tellEnd(): Promise<void> {
    if (this.#next > 0) this.#thumbnail ??= thumbnailOf(this.#painter.canvas);
    const thumbnail = await this.#thumbnail;
    // Ended with this worker, frames on their way would not be closed.
    await Promise.race([this.#painter.close(), this.#passed(FRAMES_WITHIN)]);
    this.#post({ type: "ended", mimeType: this.#file?.mimeType ?? "video/mp4", thumbnail });
  }

  #passed(time: Milli): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(time, resolve));
  }

  #hold(why: Hold): void {
    this.#held.add(why);
    this.#timeline.hold();
    this.#sound?.cut();
    this.#cancel();
  }

  #release(why: Hold): void {
    if (!this.#held.delete(why) || this.#held.size > 0) return;
    this.#timeline.run();
    this.#tick();
  }

  #append(bytes: Uint8Array): void {
    this.#behindBytes += bytes.length;
    this.#writtenSeconds = this.#drawnSeconds;
    this.#post({ type: "append", bytes, seconds: this.#drawnSeconds });
    if (this.#behindBytes <= this.#mostBehindBytes || this.#held.has("behind")) return;
    this.#behindSince = this.#clock.now();
    this.#hold("behind");
  }

  async #hear(sound: ReadableStream<AudioData>): Promise<void> {
    for await (const data of sound) {
      if (this.#sound !== null && this.#timeline.isRunning) this.#sound.take(data, this.#timeline.seconds);
      else data.close();
    }
  }

  #tick(): void {
    this.#leaveOutSleep();
    const { seconds } = this.#timeline;
    const due = Math.floor(seconds * this.#shape.framesPerSecond + ROUNDING);
    if (due >= this.#next) this.#picture(due);
    this.#sound?.keepUp(seconds);
    this.#tellProgress(seconds);
    if (seconds - this.#writtenSeconds > STUCK_SECONDS) return this.#fail(new Error("Nothing is encoded any more."));
    const wait = this.#drawnSeconds - this.#timeline.seconds;
    this.#cancel = this.#clock.after(milli(Math.max(0, wait * 1_000)), () => this.#tick());
  }

  #leaveOutSleep(): void {
    const slept = this.#timeline.seconds - this.#drawnSeconds;
    if (slept < SLEPT_SECONDS) return;
    this.#timeline.leaveOut(slept);
    this.#droppedFrames += Math.round(slept * this.#shape.framesPerSecond);
    this.#sound?.cut();
  }

  #picture(number: number): void {
    this.#painter.draw();
    const duration = 1 / this.#shape.framesPerSecond;
    const isTaken = this.#file?.picture(number * duration, duration);
    this.#droppedFrames += number - this.#next + (isTaken ? 0 : 1);
    this.#next = number + 1;
  }

  #tellProgress(seconds: number): void {
    if (seconds >= THUMBNAIL_SECONDS) this.#thumbnail ??= thumbnailOf(this.#painter.canvas);
    if (seconds < this.#progressAt) return;
    this.#progressAt = seconds + PROGRESS_SECONDS;
    this.#post({ type: "progress", seconds, droppedFrames: this.#droppedFrames });
  }
}
