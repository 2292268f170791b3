import { encoderConfig } from "@sealcast/media";
import type { EncodePass, EncodePassed } from "../../src/shared/lab.ts";

/** Waiting pictures: with one more than it works on, an encoder never stands still. */
const MOST_QUEUED = 2;

/** Encodes raw I420 pictures, over and over, as the product's fan-out does, each as soon as the encoder takes it. */
export async function encode(
  raw: readonly SharedArrayBuffer[],
  { mimeType, width, height, bitsPerSecond, frames }: EncodePass,
): Promise<EncodePassed> {
  const config = encoderConfig({ mimeType, width, height, bitrate: bitsPerSecond });
  if (config === null) throw new Error(`the fan-out has no ${mimeType}`);
  let [bytes, encoded] = [0, 0];
  const encoder = new VideoEncoder({
    output: (chunk) => {
      bytes += chunk.byteLength;
      encoded++;
    },
    error: reportError,
  });
  encoder.configure(config);
  const since = performance.now();
  for (let number = 0; number < frames; number++) {
    const picture = pictureOf(raw, number, { width, height });
    encoder.encode(picture, { keyFrame: number === 0 });
    picture.close();
    while (encoder.encodeQueueSize >= MOST_QUEUED) await new Promise((next) => (encoder.ondequeue = next));
  }
  await encoder.flush();
  encoder.close();
  if (encoded !== frames) throw new Error(`${encoded} of ${frames} pictures were encoded`);
  return { ms: performance.now() - since, bytes };
}

function pictureOf(raw: readonly SharedArrayBuffer[], number: number, size: { width: number; height: number }) {
  const pixels = raw[number % raw.length];
  if (pixels === undefined) throw new Error("there are no raw pictures");
  const [codedWidth, codedHeight] = [size.width, size.height];
  return new VideoFrame(pixels, { format: "I420", codedWidth, codedHeight, timestamp: (number * 1_000_000) / 30 });
}
