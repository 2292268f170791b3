import { type Sighting, SQUARES, STAMPS, squares, stampOf } from "../shared/stamp.ts";

/** Chromium's own on a page: not in the platform's types. */
declare class MediaStreamTrackProcessor {
  constructor(of: { track: MediaStreamTrack });
  readonly readable: ReadableStream<VideoFrame>;
}
declare class MediaStreamTrackGenerator extends MediaStreamTrack {
  constructor(of: { kind: "video" });
  readonly writable: WritableStream<VideoFrame>;
}

const SIZE = { width: 1280, height: 720 };
const BLACK = 16;
const WHITE = 235;

/** The camera's pictures, each with a stamp of its own in its topmost lines. */
export class StampedCamera {
  readonly track = new MediaStreamTrackGenerator({ kind: "video" });
  /** When the page got each picture. */
  readonly drawn: Sighting[] = [];
  readonly #camera: MediaStreamTrack;

  /** Takes the camera over. */
  constructor(camera: MediaStreamTrack) {
    this.#camera = camera;
    const stamp = async (picture: VideoFrame, out: TransformStreamDefaultController<VideoFrame>) =>
      out.enqueue(await this.#stamp(picture));
    new MediaStreamTrackProcessor({ track: camera }).readable
      .pipeThrough(new TransformStream({ transform: stamp }))
      .pipeTo(this.track.writable)
      // Ends with the track.
      .catch(() => undefined);
  }

  static async open(): Promise<StampedCamera> {
    const [camera] = (await navigator.mediaDevices.getUserMedia({ video: SIZE })).getTracks();
    if (camera === undefined) throw new Error("there is no camera");
    return new StampedCamera(camera);
  }

  close(): void {
    this.#camera.stop();
    this.track.stop();
  }

  /** Paints the luma itself, the first plane: a canvas would cost more than encoding does. */
  async #stamp(picture: VideoFrame): Promise<VideoFrame> {
    const stamp = this.drawn.length % STAMPS;
    this.drawn.push([stamp, onAllPages(performance.now())]);
    const { format, timestamp, displayWidth: width, displayHeight: height } = picture;
    if (format === null) throw new Error("the camera's pictures cannot be read");
    const pixels = new Uint8Array(picture.allocationSize());
    await picture.copyTo(pixels);
    picture.close();
    const side = width / SQUARES;
    for (const [place, white] of squares(stamp).entries())
      for (let line = 0; line < side; line++)
        pixels.fill(white ? WHITE : BLACK, line * width + place * side, line * width + (place + 1) * side);
    return new VideoFrame(pixels, { format, timestamp, codedWidth: width, codedHeight: height });
  }
}

/** Shows a stream and calls `seen` with the stamp of every picture, until the function that it returns is called. */
export function readStamps(stream: MediaStream, seen: (sighting: Sighting) => void): () => void {
  const video = document.createElement("video");
  video.srcObject = stream;
  video.muted = true;
  // On the page, or the browser would not show it.
  document.body.append(video);
  const next = () =>
    video.requestVideoFrameCallback((_, { presentationTime }) => {
      next();
      const at = onAllPages(presentationTime);
      stampIn(video).then(
        (stamp) => stamp !== null && seen([stamp, at]),
        // The picture is gone already.
        () => undefined,
      );
    });
  next();
  // Rejects when it is removed before there was a picture.
  video.play().catch(() => undefined);
  return () => {
    video.srcObject = null;
    video.remove();
  };
}

/** Of the picture that a video shows now; null where it has none. Rejects when there is no picture. */
export async function stampIn(video: HTMLVideoElement): Promise<number | null> {
  const picture = new VideoFrame(video);
  const { displayWidth: width } = picture;
  const side = width / SQUARES;
  // Chroma has one value for two lines.
  const rect = { x: 0, y: 2 * Math.floor(side / 4), width, height: 2 };
  const lines = new Uint8Array(picture.allocationSize({ rect }));
  await picture.copyTo(lines, { rect });
  picture.close();
  return stampOf(Array.from({ length: SQUARES }, (_, place) => lines[Math.floor((place + 0.5) * side)] ?? 0));
}

/** A time of this page's on the computer's clock, which every page has. */
export function onAllPages(time: DOMHighResTimeStamp): number {
  return performance.timeOrigin + time;
}
