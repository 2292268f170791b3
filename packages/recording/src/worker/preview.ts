import { ADTS, BlobSource, CanvasSink, FLAC, Input, MATROSKA, MP3, MP4, OGG, QTFF, WAVE, WEBM } from "mediabunny";
import { MOST_SECONDS } from "../shared/fragments.ts";
import { fitted } from "./grid.ts";
import { THUMBNAIL, thumbnailOf } from "./thumbnail.ts";

/** Files of their own: a playlist would have others fetched. */
const FORMATS = [MP4, QTFF, MATROSKA, WEBM, OGG, WAVE, FLAC, MP3, ADTS];
/** Many begin black. */
const PICTURE_AT = { share: 0.1, mostSeconds: 5 };
/** Browsers take an image into memory as a whole. */
const MOST_IMAGE_BYTES = 64 * 1024 * 1024;

/** What of a media file can be found out before it is played. */
export class FilePreview {
  readonly #file: Blob;
  readonly #input: Input;

  constructor(file: Blob) {
    this.#file = file;
    this.#input = new Input({ source: new BlobSource(file), formats: FORMATS });
  }

  /** Null: it does not play, or does not say. */
  async seconds(): Promise<number | null> {
    if (!(await this.#input.canRead())) return null;
    const seconds = (await this.#input.getDurationFromMetadata()) ?? (await this.#input.computeDuration());
    return seconds >= 0 && seconds <= MOST_SECONDS ? seconds : null;
  }

  /** A JPEG of an image, or of a picture near the beginning of a video. Null: the browser can decode neither. */
  async thumbnail(seconds: number | null): Promise<Uint8Array<ArrayBuffer> | null> {
    if (!(await this.#input.canRead())) return this.#image();
    const track = await this.#input.getPrimaryVideoTrack();
    if (track === null || !(await track.canDecode())) return null;
    const at = Math.min((seconds ?? 0) * PICTURE_AT.share, PICTURE_AT.mostSeconds);
    const size = { width: await track.getDisplayWidth(), height: await track.getDisplayHeight() };
    const small = new CanvasSink(track, { ...fitted(size, THUMBNAIL), fit: "fill" });
    const picture = await small.getCanvas((await track.getFirstTimestamp()) + at);
    return picture && thumbnailOf(picture.canvas as OffscreenCanvas);
  }

  async #image(): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#file.size > MOST_IMAGE_BYTES ? null : thumbnailOf(await createImageBitmap(this.#file));
  }
}
