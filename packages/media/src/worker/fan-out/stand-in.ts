import type { Clock } from "@sealcast/time";
import { STAND_IN_SIZE } from "../../shared/stand-in.ts";

/** The same grey each time: content that changes makes H.264 encoders insert key frames. */
const GREY = new Uint8Array((STAND_IN_SIZE * STAND_IN_SIZE * 3) / 2).fill(128);

/** RTP's clock counts frames of the same millisecond as one. */
const STEP_US = 1_000;

/** Writes stand-ins (see [Note: Stand-ins]) to one link's encoder. Their timestamps are the time of writing, which keeps lip sync. */
export class StandIns {
  readonly #writer: WritableStreamDefaultWriter<VideoFrame>;
  readonly #clock: Clock;
  #stamp = 0;

  constructor(writable: WritableStream<VideoFrame>, clock: Clock) {
    this.#clock = clock;
    this.#writer = writable.getWriter();
  }

  write(): void {
    this.#stamp = Math.max(Math.round(this.#clock.now() * 1_000), this.#stamp + STEP_US);
    const frame = new VideoFrame(GREY, {
      format: "I420",
      codedWidth: STAND_IN_SIZE,
      codedHeight: STAND_IN_SIZE,
      timestamp: this.#stamp,
    });
    // Rejects once the track has ended: there is nobody left to send to.
    this.#writer.write(frame).catch(() => frame.close());
  }

  close(): void {
    this.#writer.close().catch(() => undefined);
  }
}
