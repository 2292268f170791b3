import { linesOf, type Plane } from "./stamp.ts";

/** Formats whose first plane is luma, a byte a pixel. */
const PLANAR: ReadonlySet<string | null> = new Set(["I420", "I420A", "I422", "I422A", "I444", "I444A", "NV12"]);
/** What others are converted to. */
const CONVERTED = "RGBX" satisfies VideoPixelFormat;

/** A picture's own bytes, and the brightness in them. */
export interface PictureBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly format: VideoPixelFormat;
  readonly plane: Plane;
}

/**
 * A copy of a frame's pixels, in `memory` where that has as many bytes. Closes the frame. Rejects when the browser cannot
 * copy it.
 */
export async function bytesOf(frame: VideoFrame, memory?: Uint8Array<ArrayBuffer>): Promise<PictureBytes> {
  return copied(frame, Number.POSITIVE_INFINITY, memory);
}

/** The brightness of the lines of a frame that have its stamp. Closes the frame. Rejects when the browser cannot copy it. */
export async function stampedLines(frame: VideoFrame): Promise<Plane> {
  // Chroma has one value for two lines.
  return (await copied(frame, 2 * Math.ceil(linesOf(frame.visibleRect?.width ?? 0) / 2))).plane;
}

async function copied(frame: VideoFrame, most: number, memory?: Uint8Array<ArrayBuffer>): Promise<PictureBytes> {
  try {
    const { x, y, width, height } = frame.visibleRect ?? { x: 0, y: 0, width: 0, height: 0 };
    const rect = { x, y, width, height: Math.min(height, most) };
    const format = isPlanar(frame.format) ? frame.format : CONVERTED;
    // To name a format is to ask for a conversion, which browsers do to these only.
    const options = format === CONVERTED ? { rect, format } : { rect };
    const size = frame.allocationSize(options);
    const bytes = memory?.byteLength === size ? memory : new Uint8Array(size);
    await frame.copyTo(bytes, options);
    const pixel = isPlanar(format) ? { step: 1, first: 0 } : { step: 4, first: 1 };
    return { bytes, format, plane: { data: bytes, width, height: rect.height, ...pixel } };
  } finally {
    frame.close();
  }
}

function isPlanar(format: VideoPixelFormat | null): format is VideoPixelFormat {
  return PLANAR.has(format);
}
