import { onComputersClock } from "../shared/clock.ts";
import type { ToReader } from "../shared/messages.ts";
import { type Sighting, sight } from "../shared/sighting.ts";

/** Chromium's own on a page: not in the platform's types. */
declare class MediaStreamTrackProcessor {
  constructor(of: { track: MediaStreamTrack });
  readonly readable: ReadableStream<VideoFrame>;
}

type Seen = (sighting: Sighting) => void;
type Stop = () => void;

/**
 * Reads the stamps of the pictures that a video presents, on the page's own thread. Within an iframe Chromium (156) gives
 * times of presentation that are wrong by milliseconds: it counts them from another moment than `performance.now()`.
 */
export function readVideo(video: HTMLVideoElement, seen: Seen): Stop {
  return eachPicture(video, (frame, presented) => void sight(frame, presented).then(seen));
}

/** The same with the reading done in a worker: `@sealcast/latency/worker`, which is the caller's to end. */
export class WorkerReader {
  readonly #worker: Worker;

  constructor(worker: Worker, seen: Seen) {
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<Sighting>) => seen(data));
  }

  video(video: HTMLVideoElement): Stop {
    return eachPicture(video, (frame, presented) => this.#post({ type: "picture", frame, presented }, [frame]));
  }

  /** All pictures of a track, presented when the worker gets them: no video need show them. Chromium only. */
  track(track: MediaStreamTrack): void {
    const { readable } = new MediaStreamTrackProcessor({ track });
    this.#post({ type: "track", pictures: readable }, [readable]);
  }

  #post(message: ToReader, transfer: Transferable[]): void {
    this.#worker.postMessage(message, transfer);
  }
}

/** Gives the pictures that a video presents, each the caller's to close, and when it presented them. */
function eachPicture(video: HTMLVideoElement, seen: (frame: VideoFrame, presented: number) => void): Stop {
  let request = 0;
  const next = () => {
    request = video.requestVideoFrameCallback((_, { presentationTime, mediaTime }) => {
      next();
      const frame = shown(video, mediaTime);
      if (frame !== null) seen(frame, onComputersClock(presentationTime));
    });
  };
  next();
  return () => video.cancelVideoFrameCallback(request);
}

/**
 * The picture that belongs to a callback's times. Null when it is gone: a callback can come so late that the video has its
 * next picture already, of which the next callback tells.
 */
function shown(video: HTMLVideoElement, mediaTime: number): VideoFrame | null {
  try {
    const frame = new VideoFrame(video);
    if (Math.abs(frame.timestamp - 1e6 * mediaTime) < 1) return frame;
    frame.close();
  } catch {
    // It has no picture any more.
  }
  return null;
}
