import { fitted } from "./grid.ts";

export const THUMBNAIL = { width: 320, height: 320 };
const MOST_BYTES = 32_768;

/** A small JPEG of what is in a picture now; null where it would have more than 32 KiB. */
export async function thumbnailOf(picture: OffscreenCanvas | ImageBitmap): Promise<Uint8Array<ArrayBuffer> | null> {
  const { width, height } = fitted(picture, THUMBNAIL);
  const small = new OffscreenCanvas(width, height);
  small.getContext("2d", { alpha: false })?.drawImage(picture, 0, 0, width, height);
  const jpeg = await small.convertToBlob({ type: "image/jpeg", quality: 0.7 });
  return jpeg.size > MOST_BYTES ? null : new Uint8Array(await jpeg.arrayBuffer());
}
