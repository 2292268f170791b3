import type { FilmedClip } from "../shared/lab.ts";
import type { RecordedFrame } from "../shared/replay.ts";

/** Everything else would be encoded for a camera that is not there. */
const KEY_FRAME_EVERY = 100;

/** Encodes the camera's picture, scaled to the given size, as a call would: VP8, realtime. */
export async function record({ width, height, bitsPerSecond, frames }: FilmedClip): Promise<RecordedFrame[]> {
  const recorded: RecordedFrame[] = [];
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const data = new ArrayBuffer(chunk.byteLength);
      chunk.copyTo(data);
      recorded.push({ data, type: chunk.type });
    },
    error: reportError,
  });
  encoder.configure({ codec: "vp8", width, height, bitrate: bitsPerSecond, framerate: 30, latencyMode: "realtime" });
  await pictures(width, height, frames, (picture, number) => {
    encoder.encode(picture, { keyFrame: number % KEY_FRAME_EVERY === 0 });
    picture.close();
  });
  await encoder.flush();
  encoder.close();
  return recorded;
}

/** The first pictures of a recording, raw I420, each in shared memory of its own. */
export async function decode(frames: readonly RecordedFrame[], count: number): Promise<SharedArrayBuffer[]> {
  const raw: Promise<SharedArrayBuffer>[] = [];
  const decoder = new VideoDecoder({ output: (picture) => raw.push(copied(picture)), error: reportError });
  decoder.configure({ codec: "vp8" });
  for (const [number, { type, data }] of frames.slice(0, count).entries())
    decoder.decode(new EncodedVideoChunk({ type, data, timestamp: number }));
  await decoder.flush();
  decoder.close();
  return Promise.all(raw);
}

async function copied(picture: VideoFrame): Promise<SharedArrayBuffer> {
  if (picture.format !== "I420") throw new Error(`raw pictures are ${picture.format}, not I420`);
  const shared = new SharedArrayBuffer(picture.allocationSize());
  await picture.copyTo(new Uint8Array(shared));
  picture.close();
  return shared;
}

/** Calls `take` with every new picture of the camera; it closes them. */
export async function pictures(
  width: number,
  height: number,
  count: number,
  take: (picture: VideoFrame, number: number) => void,
): Promise<void> {
  const video = document.createElement("video");
  const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 1280, height: 720 } });
  video.srcObject = stream;
  video.muted = true;
  await video.play();
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser draws no pictures");
  for (let number = 0; number < count; number++) {
    await new Promise((next) => video.requestVideoFrameCallback(next));
    context.drawImage(video, 0, 0, width, height);
    take(new VideoFrame(canvas, { timestamp: Math.round(performance.now() * 1000) }), number);
  }
  for (const track of stream.getTracks()) track.stop();
}
