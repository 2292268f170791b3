import { codecOf, parseSealed, restore, unpackKid } from "@sealcast/frame";
import type { Eavesdropped, ToEavesdropper } from "../../shared/eavesdropping.ts";
import { encoderConfig } from "../../shared/encoding.ts";
import type { Overheard } from "../../shared/timings.ts";

const EVERY_US = 33_333;
/** A decoder that has as much to do is spared the next frame. */
const MOST_QUEUED = 3;
const BITRATE = 1_000_000;

/**
 * An eavesdropper on the network, who knows the format and has no key. `show` gets what a decoder makes of what it hears: of readable frames
 * where there are some, after a grey picture in place of what they miss; otherwise of ciphertext.
 */
export class Eavesdropper {
  readonly #size: ToEavesdropper["size"];
  readonly #show: (picture: ImageBitmap) => void;
  readonly #heard: Eavesdropped = { frames: 0, readable: 0, pictures: 0, failures: 0 };
  #decoder: VideoDecoder | null = null;
  #mimeType = "";
  /** What stands in place of the first picture. */
  #grey: { mimeType: string; chunk: EncodedVideoChunk | null } | null = null;
  #reads = false;
  #starting = false;
  #time = 0;

  constructor(size: ToEavesdropper["size"], show: (picture: ImageBitmap) => void) {
    this.#size = size;
    this.#show = show;
  }

  get heard(): Eavesdropped {
    return { ...this.#heard };
  }

  async hear({ data, isKey, mimeType, tag }: Overheard): Promise<void> {
    this.#heard.frames++;
    const plain = readable(mimeType, data, tag);
    if (plain !== null) this.#heard.readable++;
    // Once something can be read, ciphertext would only cover it.
    if (this.#starting || (this.#reads && plain === null)) return;
    if (mimeType !== this.#mimeType || (plain !== null && !this.#reads)) await this.#start(mimeType, plain !== null);
    this.#decode(plain ?? data, isKey);
  }

  close(): void {
    if (this.#decoder?.state === "configured") this.#decoder.close();
    this.#decoder = null;
  }

  async #start(mimeType: string, reads: boolean): Promise<void> {
    this.close();
    this.#mimeType = mimeType;
    this.#reads = reads;
    this.#starting = true;
    const config = encoderConfig({ mimeType: mimeType.toLowerCase(), ...this.#size, bitrate: BITRATE });
    if (config !== null) await this.#open(config).catch(() => undefined);
    this.#starting = false;
  }

  async #open(config: VideoEncoderConfig): Promise<void> {
    const grey = this.#grey?.mimeType === this.#mimeType ? this.#grey.chunk : await greyKeyFrame(config);
    this.#grey = { mimeType: this.#mimeType, chunk: grey };
    this.#decoder = new VideoDecoder({ output: (picture) => void this.#made(picture), error: () => this.#failed() });
    this.#decoder.configure({ codec: config.codec, optimizeForLatency: true });
    if (grey !== null) this.#decoder.decode(grey);
  }

  #decode(data: ArrayBuffer, isKey: boolean): void {
    const decoder = this.#decoder;
    if (decoder?.state !== "configured" || decoder.decodeQueueSize > MOST_QUEUED) return;
    this.#time += EVERY_US;
    try {
      decoder.decode(new EncodedVideoChunk({ type: isKey ? "key" : "delta", timestamp: this.#time, data }));
    } catch {
      this.#failed();
    }
  }

  /** The next frame is tried with a fresh decoder. */
  #failed(): void {
    this.#heard.failures++;
    this.#decoder = null;
    this.#mimeType = "";
  }

  async #made(picture: VideoFrame): Promise<void> {
    if (picture.timestamp > 0) this.#heard.pictures++;
    // Rejects where the browser cannot show it: the one before stays.
    const shown = await createImageBitmap(picture).catch(() => null);
    picture.close();
    if (shown !== null) this.#show(shown);
  }
}

/** What the encoder made, where it is not sealed. */
function readable(mimeType: string, wire: ArrayBuffer, tag: number): ArrayBuffer | null {
  const codec = codecOf(mimeType);
  if (codec === null) return null;
  const frame = parseSealed(codec, new Uint8Array(wire), tag);
  if (!frame.ok || unpackKid(frame.kid).sealed) return null;
  return restore(codec, frame.units, frame.sealed.slice(0, -tag));
}

async function greyKeyFrame(config: VideoEncoderConfig): Promise<EncodedVideoChunk | null> {
  const canvas = new OffscreenCanvas(config.width, config.height);
  const context = canvas.getContext("2d");
  if (context === null) return null;
  context.fillStyle = "#808080";
  context.fillRect(0, 0, config.width, config.height);
  const picture = new VideoFrame(canvas, { timestamp: 0 });
  const chunks: EncodedVideoChunk[] = [];
  // Of an error `flush` tells as well.
  const encoder = new VideoEncoder({ output: (chunk) => chunks.push(chunk), error: () => undefined });
  encoder.configure(config);
  encoder.encode(picture, { keyFrame: true });
  picture.close();
  await encoder.flush();
  encoder.close();
  return chunks[0] ?? null;
}
