import { type Codec, parseSealed, restore, unpackKid } from "@sealcast/frame";
import { ONE_LAYER } from "@sealcast/media/sealing";
import type { Strategy } from "./leakage.ts";

/** A frame as an attacker in the network sees it, who knows the format but no key. */
export interface Intercepted {
  /** Microseconds, not negative; no two of a track have the same. */
  timestamp: number;
  /** Packets say it openly. */
  type: "key" | "delta";
  readable: boolean;
  /** Of a readable frame what its encoder made, of a sealed one all that is sent. */
  data: ArrayBuffer;
  /** How many bytes of what the encoder made cannot be read. */
  hidden: number;
}

/** Takes apart what is sent: a frame in one layer, sealed or readable. */
export function intercept(
  codec: Codec,
  wire: ArrayBuffer,
  { timestamp, type }: Pick<Intercepted, "timestamp" | "type">,
): Intercepted {
  const frame = parseSealed(codec, new Uint8Array(wire), ONE_LAYER.tag);
  if (!frame.ok) throw new Error(`not a sealed frame: ${frame.drop}`);
  const bytes = frame.sealed.slice(0, -ONE_LAYER.tag);
  if (unpackKid(frame.kid).sealed) return { timestamp, type, readable: false, data: wire, hidden: bytes.length };
  return { timestamp, type, readable: true, data: restore(codec, frame.units, bytes), hidden: 0 };
}

/** What a strategy gives to the decoder. */
export function chosen(strategy: Strategy, frames: readonly Intercepted[]): readonly Intercepted[] {
  switch (strategy) {
    case "readable":
      return frames.filter(({ readable }) => readable);
    case "ciphertext":
      return frames;
    case "unbroken":
      return unbroken(frames);
  }
}

function unbroken(frames: readonly Intercepted[]): Intercepted[] {
  let whole = false;
  return frames.filter(({ readable, type }) => {
    whole = readable && (whole || type === "key");
    return whole;
  });
}

/** The grey picture's timestamp: before all others. */
const GREY = -1;

/**
 * Makes pictures of what was intercepted of one track, with the browser's own decoders: one that goes on where these give
 * up may show more.
 */
export class Attacker {
  readonly #codec: string;
  readonly #grey: ArrayBuffer;

  private constructor(codec: string, grey: ArrayBuffer) {
    this.#codec = codec;
    this.#grey = grey;
  }

  /** `config` is the sender's: a grey key frame made with it has the parameter sets that the sender's have. */
  static async ready(config: VideoEncoderConfig): Promise<Attacker> {
    return new Attacker(config.codec, await greyKeyFrame(config));
  }

  /**
   * Calls `show` with every picture that comes of the frames, in order, and closes it then. Until the first one the
   * attacker has a grey picture.
   */
  async watch(strategy: Strategy, frames: readonly Intercepted[], show: (picture: VideoFrame) => void): Promise<void> {
    let left = chosen(strategy, frames);
    let shown = GREY;
    const showOnce = (picture: VideoFrame) => {
      if (picture.timestamp > shown) show(picture);
      shown = Math.max(shown, picture.timestamp);
    };
    while (left.length > 0) {
      const last = await this.#decode(left, showOnce);
      const refused = last === null ? undefined : left.find(({ timestamp }) => timestamp > last);
      if (refused === undefined) return;
      left = left.filter((frame) =>
        strategy === "ciphertext" ? frame.timestamp > refused.timestamp : frame !== refused,
      );
    }
  }

  /** Returns null when the decoder took all frames, else the timestamp of the last picture before it gave up. */
  async #decode(frames: readonly Intercepted[], show: (picture: VideoFrame) => void): Promise<number | null> {
    let last = GREY;
    const output = (picture: VideoFrame) => {
      last = picture.timestamp;
      show(picture);
      picture.close();
    };
    // Of an error, `flush` tells as well.
    const decoder = new VideoDecoder({ output, error: () => undefined });
    decoder.configure({ codec: this.#codec, optimizeForLatency: true });
    try {
      decoder.decode(new EncodedVideoChunk({ type: "key", timestamp: GREY, data: this.#grey }));
      for (const frame of frames) decoder.decode(new EncodedVideoChunk(frame));
      await decoder.flush();
      decoder.close();
      return null;
    } catch (error) {
      if (decoder.state !== "closed") throw error;
      return last;
    }
  }
}

async function greyKeyFrame(config: VideoEncoderConfig): Promise<ArrayBuffer> {
  const canvas = new OffscreenCanvas(config.width, config.height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser draws no pictures");
  context.fillStyle = "#808080";
  context.fillRect(0, 0, config.width, config.height);
  const picture = new VideoFrame(canvas, { timestamp: 0 });
  const [chunk] = await encoded(config, [picture], 1);
  picture.close();
  if (chunk === undefined) throw new Error("the encoder made no grey key frame");
  return dataOf(chunk);
}

/** The frames that an encoder makes of the pictures, and a key frame every `every` frames. */
export async function encoded(
  config: VideoEncoderConfig,
  pictures: readonly VideoFrame[],
  every: number,
): Promise<EncodedVideoChunk[]> {
  const chunks: EncodedVideoChunk[] = [];
  const encoder = new VideoEncoder({ output: (chunk) => chunks.push(chunk), error: reportError });
  encoder.configure(config);
  for (const [number, picture] of pictures.entries()) encoder.encode(picture, { keyFrame: number % every === 0 });
  await encoder.flush();
  encoder.close();
  return chunks;
}

export function dataOf(chunk: EncodedVideoChunk): ArrayBuffer {
  const data = new ArrayBuffer(chunk.byteLength);
  chunk.copyTo(data);
  return data;
}
