import { concat, u16 } from "@sealcast/bytes";

/** A JPEG that says that it has these sides, and holds no picture. */
export function jpegOf(width: number, height: number, frame = 0xffc0): Uint8Array {
  const application = concat(u16(0xffe0), u16(4), u16(0));
  return concat(
    u16(0xffd8),
    application,
    u16(frame),
    u16(8),
    Uint8Array.of(8),
    u16(height),
    u16(width),
    Uint8Array.of(3),
  );
}
