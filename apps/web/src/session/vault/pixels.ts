/** A browser that shows an image takes four bytes for each pixel, however few bytes the file has: 256 MiB, at most. */
const MOST_PIXELS = 64 * 2 ** 20;

/** Whether a file is an image of more pixels than are shown. What a detached element loads is measured, and not decoded. */
export async function hasTooManyPixels(file: Blob): Promise<boolean> {
  const image = new Image();
  const url = URL.createObjectURL(file);
  try {
    await new Promise((done) => {
      image.onload = done;
      image.onerror = done;
      image.src = url;
    });
    return image.naturalWidth * image.naturalHeight > MOST_PIXELS;
  } finally {
    URL.revokeObjectURL(url);
  }
}
