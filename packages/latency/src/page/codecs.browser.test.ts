import { expect, it } from "vitest";
import { sight } from "../shared/sighting.ts";
import { drawStamp } from "../shared/stamp.ts";

/** What the end-to-end tests' camera shows: JPEGs one after another. */
const CLIP = new URL("../../../testbed/media/bunny-640x360-25fps.mjpeg", import.meta.url);
const FRAME_US = 40_000;
const FRAMES = 100;

const SMALL = { width: 320, height: 180, bitrate: 200_000 };

const configs = [
  { codec: "vp8", ...SMALL },
  { codec: "vp8", width: 640, height: 360, bitrate: 200_000 },
  { codec: "vp8", width: 160, height: 90, bitrate: 60_000 },
  { codec: "vp09.00.10.08", ...SMALL },
  { codec: "avc1.42001f", ...SMALL, avc: { format: "annexb" as const } },
  { codec: "av01.0.04M.08", ...SMALL },
].map((config) => ({ ...config, framerate: 25, latencyMode: "realtime" as const }));

async function* pictures(): AsyncGenerator<ImageBitmap> {
  const clip = new Uint8Array(await (await fetch(CLIP)).arrayBuffer());
  const begins = (at: number) => clip[at] === 0xff && clip[at + 1] === 0xd8 && clip[at + 2] === 0xff;
  for (let start = 0; start < clip.length; ) {
    let end = start + 1;
    while (end < clip.length && !begins(end)) end++;
    yield createImageBitmap(new Blob([clip.subarray(start, end)], { type: "image/jpeg" }));
    start = end;
  }
}

/** Of every frame that comes out of the decoder, the time that went in and the one that was read. */
async function throughCodec(
  config: VideoEncoderConfig,
): Promise<{ put: number; read: number | null; bytes: number }[]> {
  const frames: Promise<{ put: number; read: number | null; bytes: number }>[] = [];
  const sizes = new Map<number, number>();
  const fail = (error: DOMException) => reportError(error);
  const decoder = new VideoDecoder({
    output(frame) {
      const { timestamp } = frame;
      const bytes = sizes.get(timestamp) ?? 0;
      frames.push(sight(frame, 0).then(({ stamp }) => ({ put: timeOf(timestamp), read: stamp?.time ?? null, bytes })));
    },
    error: fail,
  });
  decoder.configure({ codec: config.codec, codedWidth: config.width, codedHeight: config.height });
  const output = (chunk: EncodedVideoChunk) => {
    sizes.set(chunk.timestamp, chunk.byteLength);
    decoder.decode(chunk);
  };
  const encoder = new VideoEncoder({ output, error: fail });
  encoder.configure(config);
  await encodeClip(encoder, config);
  await decoder.flush();
  encoder.close();
  decoder.close();
  return Promise.all(frames);
}

async function encodeClip(encoder: VideoEncoder, { width, height }: VideoEncoderConfig): Promise<void> {
  const context = new OffscreenCanvas(width, height).getContext("2d");
  if (context === null) throw new Error("this browser draws no pictures");
  let number = 0;
  for await (const picture of pictures()) {
    if (number === FRAMES) break;
    const timestamp = FRAME_US * number++;
    context.drawImage(picture, 0, 0, width, height);
    drawStamp(context, timeOf(timestamp));
    const frame = new VideoFrame(context.canvas, { timestamp });
    encoder.encode(frame);
    frame.close();
    // None is left out for coming faster than it is encoded.
    while (encoder.encodeQueueSize > 0)
      await new Promise((done) => encoder.addEventListener("dequeue", done, { once: true }));
  }
  await encoder.flush();
}

/** A whole number of tenths of a millisecond, of which many bits change from one frame to the next. */
function timeOf(timestamp: number): number {
  return (((timestamp / FRAME_US) * 2_654_435_761 + 12_345) % 2 ** 32) / 10;
}

it.each(configs)(
  "stamps survive $codec at $bitrate bit/s, $width x $height",
  async (config) => {
    const frames = await throughCodec(config);
    const failures = frames.filter(({ read }) => read === null).length;
    const kbps = frames.reduce((sum, { bytes }) => sum + bytes, 0) / 125 / ((frames.length * FRAME_US) / 1e6);
    const { codec, width, height } = config;
    // biome-ignore lint/suspicious/noConsole: the figure is worth knowing also when all is well
    console.log(
      `${codec} ${width}x${height}, ${Math.round(kbps)} kbit/s: ${failures} of ${frames.length} stamps not read`,
    );
    expect(frames.length).toBeGreaterThan(FRAMES / 2);
    expect(frames.filter(({ put, read }) => read !== null && read !== put)).toEqual([]);
    expect(failures / frames.length).toBeLessThan(0.02);
  },
  60_000,
);
