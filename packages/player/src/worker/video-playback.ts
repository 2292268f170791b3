import type { Clock } from "@sealcast/time";
import type { PlayerFrame } from "../shared/messages.ts";
import { DecoderSlot } from "./decoder-slot.ts";
import type { Drops } from "./drops.ts";
import type { DecoderFault, MakeDecoder } from "./frame-decoder.ts";
import type { PictureQueue } from "./picture-queue.ts";
import type { PictureTimes } from "./picture-times.ts";
import { VideoBuffer } from "./video-buffer.ts";

/** How long before its time a frame goes to the decoder, so that a slow one is no late one. */
const AHEAD_MS = 120;
const MOST_IN_DECODER = 8;
/** A decoder has few places for pictures that it gave and nobody has shown. */
const MOST_DECODED = 10;

/** One video track from encoded frames to the screen. */
export class VideoPlayback {
  readonly #buffer: VideoBuffer;
  readonly #decoder: DecoderSlot<VideoFrame>;
  readonly #pictures: PictureQueue;
  readonly #times: PictureTimes;
  readonly #drops: Drops;
  #isHidden = false;
  #isClosed = false;
  #inDecoder = 0;
  decoded = 0;
  came = 0;

  /**
   * @param pictures outlives this, like `times`
   * @param failed hears of a decoder's fault after which video goes on with the next group, or of one for good
   * @param arrived a picture was decoded
   */
  constructor(
    clock: Clock,
    make: MakeDecoder<VideoFrame>,
    pictures: PictureQueue,
    times: PictureTimes,
    drops: Drops,
    failed: (fault: DecoderFault) => void,
    arrived: () => void,
  ) {
    this.#pictures = pictures;
    this.#times = times;
    this.#drops = drops;
    this.#buffer = new VideoBuffer(drops);
    const refused = (fault: DecoderFault) => {
      drops.count("undecodable");
      this.#inDecoder = 0;
      this.#buffer.leaveGroup();
      failed(fault);
    };
    this.#decoder = new DecoderSlot(clock, make, (picture) => this.#got(picture, arrived), refused);
  }

  /** Frames that came and were neither shown nor dropped yet. */
  get waiting(): number {
    return this.#buffer.length + this.#inDecoder + this.#pictures.waiting;
  }

  push(frame: PlayerFrame): void {
    this.came++;
    this.#buffer.push(frame);
  }

  /** Nothing is to be pushed while the page is hidden; after that, the next key frame is decoded first. */
  set isHidden(isHidden: boolean) {
    this.#isHidden = isHidden;
    if (!isHidden) return;
    this.#buffer.clear("hidden");
    this.#pictures.clear("hidden");
  }

  /** @returns milliseconds until the next picture is due; null: none waits */
  play(playedMs: number): number | null {
    while (this.#decoder.queued < MOST_IN_DECODER && this.#pictures.length < MOST_DECODED) {
      const frame = this.#buffer.take(playedMs, AHEAD_MS);
      if (frame === null) break;
      this.#times.taken(frame.timestampUs);
      this.#inDecoder++;
      this.#decoder.decode(frame);
    }
    return this.#pictures.show(playedMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#decoder.close();
    this.#buffer.clear("late");
    this.#pictures.clear("late");
  }

  #got(picture: VideoFrame, arrived: () => void): void {
    this.#inDecoder = Math.max(0, this.#inDecoder - 1);
    if (this.#isClosed || this.#isHidden) {
      picture.close();
      return this.#drops.count(this.#isHidden ? "hidden" : "late");
    }
    this.decoded++;
    this.#pictures.push(picture);
    arrived();
  }
}
