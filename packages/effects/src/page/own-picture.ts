/** A camera's picture is hardly larger: more would be made smaller with each frame. */
const SIZE = { width: 1280, height: 720 };
const MOST_BYTES = 20 * 2 ** 20;
const QUALITY = 0.85;

/**
 * A picture from a file, cut to 16:9 and made small enough to keep, as a JPEG without what the file says besides. Null where
 * it is none, or has more than 20 MiB.
 */
export async function ownPicture(file: Blob): Promise<Blob | null> {
  if (file.size > MOST_BYTES) return null;
  try {
    const picture = await createImageBitmap(file);
    const canvas = new OffscreenCanvas(SIZE.width, SIZE.height);
    const scale = Math.max(SIZE.width / picture.width, SIZE.height / picture.height);
    const [width, height] = [picture.width * scale, picture.height * scale];
    const context = canvas.getContext("2d", { alpha: false });
    context?.drawImage(picture, (SIZE.width - width) / 2, (SIZE.height - height) / 2, width, height);
    picture.close();
    return await canvas.convertToBlob({ type: "image/jpeg", quality: QUALITY });
  } catch {
    return null;
  }
}
