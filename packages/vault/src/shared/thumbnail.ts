import { Cursor, OutOfBytes } from "@sealcast/bytes";

/** Pixels of a side. Whatever shows a larger one takes memory by the gigabyte, however few bytes it has. */
const MOST_PIXELS = 640;

/** Whether these bytes begin as a JPEG, and its frame header (ITU-T T.81 section B.2.2) names sides that a thumbnail has. */
export function isSmallJpeg(bytes: Uint8Array): boolean {
  const cursor = new Cursor(bytes);
  try {
    if (cursor.u16() !== 0xffd8) return false;
    for (;;) {
      const marker = cursor.u16();
      if (!isFrameHeader(marker) && !isBeforeFrame(marker)) return false;
      const segment = new Cursor(cursor.bytes(cursor.u16() - 2));
      if (isFrameHeader(marker)) return isSmall(segment);
    }
  } catch (error) {
    if (error instanceof OutOfBytes) return false;
    throw error;
  }
}

/** Of baseline and progressive frames, which are what browsers show. */
const isFrameHeader = (marker: number) => marker >= 0xffc0 && marker <= 0xffc2;
/** Tables, APPn and COM. Of others, and of fill bytes, decoders take no length: what is skipped here would be a frame to them. */
const isBeforeFrame = (marker: number) =>
  [0xffc4, 0xffdb, 0xffdd, 0xfffe].includes(marker) || (marker >= 0xffe0 && marker <= 0xffef);

function isSmall(frame: Cursor): boolean {
  frame.u8();
  const [height, width] = [frame.u16(), frame.u16()];
  return height > 0 && height <= MOST_PIXELS && width > 0 && width <= MOST_PIXELS;
}
