import { onComputersClock } from "../shared/clock.ts";
import { bytesOf } from "../shared/picture.ts";
import { paintStamp } from "../shared/stamp.ts";

/** Chromium's own on a page: not in the platform's types. */
declare class MediaStreamTrackProcessor {
  constructor(of: { track: MediaStreamTrack });
  readonly readable: ReadableStream<VideoFrame>;
}
declare class MediaStreamTrackGenerator extends MediaStreamTrack {
  constructor(of: { kind: "video" });
  readonly writable: WritableStream<VideoFrame>;
}

/** From now on, every camera that this page opens gives stamped pictures. Chromium only. */
export function stampCameras(): void {
  const devices = navigator.mediaDevices;
  const original = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (constraints) => {
    const stream = await original(constraints);
    return new MediaStream([...stream.getAudioTracks(), ...stream.getVideoTracks().map(stamped)]);
  };
}

/**
 * A camera's pictures, each with the time at which it was passed on. Takes the camera over: it stops when the track that
 * is returned does, and what is asked of that track is answered by the camera.
 */
export function stamped(camera: MediaStreamTrack): MediaStreamTrack {
  const track = new MediaStreamTrackGenerator({ kind: "video" });
  const stamps = new Stamps();
  new MediaStreamTrackProcessor({ track: camera }).readable
    .pipeThrough(new TransformStream({ transform: async (frame, out) => out.enqueue(await stamps.put(frame)) }))
    .pipeTo(track.writable)
    // Nobody may want it any more; anything else is a fault of this function.
    .catch((error) => track.readyState === "live" && reportError(error))
    .finally(() => camera.stop());
  return Object.assign(track, {
    getSettings: () => camera.getSettings(),
    getCapabilities: () => camera.getCapabilities(),
    getConstraints: () => camera.getConstraints(),
    applyConstraints: (constraints?: MediaTrackConstraints) => camera.applyConstraints(constraints),
  });
}

/** Puts stamps into one picture after another. */
class Stamps {
  /** Of the last picture. New memory for each would cost more than all else that is done here. */
  #memory = new Uint8Array(0);

  /** The time is taken when all else is done, so that copying does not count. Closes the frame. */
  async put(frame: VideoFrame): Promise<VideoFrame> {
    const { timestamp, colorSpace } = frame;
    const { bytes, format, plane } = await bytesOf(frame, this.#memory);
    this.#memory = bytes;
    const { width: codedWidth, height: codedHeight } = plane;
    paintStamp(plane, onComputersClock(performance.now()));
    return new VideoFrame(bytes, { format, timestamp, codedWidth, codedHeight, colorSpace });
  }
}
