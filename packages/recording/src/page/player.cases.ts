import { concat } from "@sealcast/bytes";
import { AudioBufferSource, CanvasSource, Mp4OutputFormat, Output, Quality, StreamTarget } from "mediabunny";

const WIDTH = 160;
const HEIGHT = 90;
const FRAMES_PER_SECOND = 10;
/** Brightness goes up by so much a second, and begins again: no two seconds near each other look alike. */
const STEP = 24;
const STEPS = 10;

/** A recording whose second can be told from any frame of it, with a fragment a second. */
export async function secondsRecording(seconds: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: "fragmented", minimumFragmentDuration: 0.9 }),
    target: new StreamTarget(new WritableStream({ write: ({ data }) => void parts.push(data) })),
  });
  const canvas = new OffscreenCanvas(WIDTH, HEIGHT);
  const quality = new Quality({ bitrate: 200_000 });
  const video = new CanvasSource(canvas, { codec: "avc", quality, keyFrameInterval: 1, latencyMode: "realtime" });
  const audio = new AudioBufferSource({ codec: "opus", quality: new Quality({ bitrate: 32_000 }) });
  output.addVideoTrack(video);
  output.addAudioTrack(audio);
  await output.start();
  const silence = new AudioBuffer({ length: 48_000, sampleRate: 48_000, numberOfChannels: 1 });
  for (let second = 0; second < seconds; second++) {
    await audio.add(silence);
    for (let n = 0; n < FRAMES_PER_SECOND; n++) {
      fill(canvas, second);
      await video.add(second + n / FRAMES_PER_SECOND, 1 / FRAMES_PER_SECOND);
    }
  }
  await output.finalize();
  return concat(...parts);
}

function fill(canvas: OffscreenCanvas, second: number): void {
  const context = canvas.getContext("2d")!;
  const grey = (second % STEPS) * STEP + STEP / 2;
  context.fillStyle = `rgb(${grey} ${grey} ${grey})`;
  context.fillRect(0, 0, WIDTH, HEIGHT);
}

/** Which second, modulo 10, a frame of such a recording is of. */
export function secondShown(video: HTMLVideoElement): number {
  return Math.floor(pixel(video, 0.5, 0.5)[1] / STEP);
}

/** Red, green and blue of what a video shows at a place: from 0 to 1 each way. */
export function pixel(video: HTMLVideoElement, x: number, y: number): [number, number, number] {
  const context = new OffscreenCanvas(video.videoWidth, video.videoHeight).getContext("2d")!;
  context.drawImage(video, 0, 0);
  const { data } = context.getImageData(Math.floor(x * video.videoWidth), Math.floor(y * video.videoHeight), 1, 1);
  return [data[0]!, data[1]!, data[2]!];
}

/** Resolves once the frame of this time is there to be drawn. */
export async function seek(video: HTMLVideoElement, seconds: number): Promise<void> {
  const seeked = new Promise((done) => video.addEventListener("seeked", done, { once: true }));
  const presented = new Promise((done) => video.requestVideoFrameCallback(done));
  video.currentTime = seconds;
  await Promise.all([seeked, presented]);
}
