import { type Cancel, type Clock, milli } from "@sealcast/time";
import type { Presented } from "./journeys.ts";

/** What browsers tell of a picture from the network beside the platform's types. */
type Metadata = VideoFrameCallbackMetadata & { rtpTimestamp?: number; captureTime?: number };

/**
 * After each picture that is told of. To tell of one, the browser goes over the whole page, in time that pictures need: of
 * thirty a second it tells of every third, so that none of a codec's two or four layers is always left out.
 */
const PAUSE = milli(90);

/** Tells of pictures of a track that a video of this page presents, wherever it is shown: some ten a second. */
export class Presentation {
  readonly #track: MediaStreamTrack;
  readonly #seen: (presented: Presented) => void;
  readonly #clock: Clock;
  #video: HTMLVideoElement | null = null;
  #request = 0;
  #cancel: Cancel | null = null;

  constructor(track: MediaStreamTrack, seen: (presented: Presented) => void, clock: Clock) {
    this.#track = track;
    this.#seen = seen;
    this.#clock = clock;
  }

  /** To be called now and then: tiles come and go. */
  look(): void {
    const videos = [...document.querySelectorAll("video")];
    const video = videos.find(
      ({ srcObject }) => srcObject instanceof MediaStream && srcObject.getTracks().includes(this.#track),
    );
    if (video === this.#video) return;
    this.close();
    this.#video = video ?? null;
    if (video !== undefined && "requestVideoFrameCallback" in video) this.#next(video);
  }

  close(): void {
    this.#cancel?.();
    if (this.#request !== 0) this.#video?.cancelVideoFrameCallback(this.#request);
    this.#video = null;
    this.#request = 0;
  }

  #next(video: HTMLVideoElement): void {
    this.#request = video.requestVideoFrameCallback((_, metadata: Metadata) => {
      this.#cancel = this.#clock.after(PAUSE, () => this.#next(video));
      const { rtpTimestamp, captureTime = Number.NaN, presentationTime, processingDuration = Number.NaN } = metadata;
      if (rtpTimestamp === undefined) return;
      const origin = performance.timeOrigin;
      this.#seen({
        rtp: rtpTimestamp,
        captured: origin + captureTime,
        presented: origin + presentationTime,
        decoding: 1_000 * processingDuration,
      });
    });
  }
}
