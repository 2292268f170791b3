import { fitted, type GridSize } from "./grid.ts";

/**
 * The latest picture of a track. It is a copy: a camera has few places for frames and gets each back at once
 * (docs/decisions/cameras-get-their-frames-back.md).
 */
export class RecordedVideo {
  readonly #reader: ReadableStreamDefaultReader<VideoFrame>;
  readonly #most: GridSize;
  #copy: OffscreenCanvas | null = null;
  #isClosed = false;
  readonly #ended: Promise<void>;

  /** `most`: larger pictures are made smaller. */
  constructor(frames: ReadableStream<VideoFrame>, most: GridSize) {
    this.#reader = frames.getReader();
    this.#most = most;
    this.#ended = this.#read();
  }

  /** Null before the first frame and after the last one: a track that has ended shows nothing. */
  get latest(): OffscreenCanvas | null {
    return this.#copy;
  }

  /** Resolves once no frame of it is on its way any more: with the next one, which a track that stands still does not give. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#ended;
  }

  /** Cancelled while a frame is on its way from the page, a stream would drop it without closing it. */
  async #read(): Promise<void> {
    for (;;) {
      const { value: frame } = await this.#reader.read().catch(() => ({ value: undefined }));
      if (frame === undefined) break;
      if (!this.#isClosed) this.#take(frame);
      frame.close();
      if (this.#isClosed) this.#reader.cancel().catch(() => undefined);
    }
    this.#copy = null;
  }

  /** Drawing turns a frame as it is to be seen. */
  #take(frame: VideoFrame): void {
    const { width, height } = fitted({ width: frame.displayWidth, height: frame.displayHeight }, this.#most);
    if (this.#copy?.width !== width || this.#copy.height !== height) this.#copy = new OffscreenCanvas(width, height);
    this.#copy.getContext("2d", { alpha: false })?.drawImage(frame, 0, 0, width, height);
  }
}
