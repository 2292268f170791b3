import type { Clock } from "@sealcast/time";
import type { Backdrop } from "../../shared/messages.ts";
import { Meter } from "../meter.ts";
import { BackdropPainter, type Segmented } from "./backdrop-painter.ts";

/** Finds the person in a frame. The frame stays the caller's. */
export type Segment = (frame: VideoFrame) => Promise<Segmented>;

/**
 * Treats a camera's frames one after the other. Only what the painter made is ever written; where anything fails nothing is
 * written any more.
 */
export class Background {
  readonly meter: Meter;
  readonly #clock: Clock;
  readonly #segment: Segment;
  readonly #painter: BackdropPainter;
  mostHeight = Number.POSITIVE_INFINITY;
  /** The least that a frame's arrival was behind its timestamp: what is more than that, it has waited here. */
  #leastBehind = Number.POSITIVE_INFINITY;

  constructor(segment: Segment, backdrop: Backdrop, clock: Clock) {
    this.#segment = segment;
    this.#painter = new BackdropPainter(backdrop);
    this.#clock = clock;
    this.meter = new Meter(clock);
  }

  show(backdrop: Backdrop): void {
    this.#painter.show(backdrop);
  }

  /** Until the camera or the treated track ends. `written` is called after the first frame. Rejects where treating fails. */
  async treat(
    frames: ReadableStream<VideoFrame>,
    treated: WritableStream<VideoFrame>,
    written: () => void,
  ): Promise<void> {
    const [reader, writer] = [frames.getReader(), treated.getWriter()];
    for (let count = 0; ; count++) {
      const { done, value } = await reader.read();
      if (done) return;
      const picture = await this.#treat(value);
      try {
        await writer.write(picture);
      } catch {
        // The track has ended: nobody wants it any more.
        picture.close();
        return;
      }
      if (count === 0) written();
    }
  }

  async #treat(frame: VideoFrame): Promise<VideoFrame> {
    const since = this.#clock.now();
    const made = frame.timestamp / 1_000;
    this.#leastBehind = Math.min(this.#leastBehind, since - made);
    try {
      return this.#painter.paint(frame, await this.#segment(frame), this.mostHeight);
    } finally {
      frame.close();
      const now = this.#clock.now();
      this.meter.count(now - since, now - made - this.#leastBehind);
    }
  }
}
