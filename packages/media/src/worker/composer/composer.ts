import { type Clock, milli, systemClock } from "@sealcast/time";
import type { Composing } from "../../shared/composition.ts";
import { cornerOf, fitted } from "./layout.ts";

/** A larger screen is made smaller: nobody's encoder has time for more. */
const MOST = { width: 1920, height: 1080 };
/** Longer than between two frames of any camera that works. */
const MOST_SILENCE = milli(100);

/**
 * Draws the camera's picture onto the screen's, until both end. The camera sets the pace, since a screen gives a frame only
 * when something on it moves; where the camera gives none, the screen does.
 */
export function compose({ screen, camera, composed }: Composing, clock: Clock = systemClock): void {
  const writer = composed.getWriter();
  const canvas = new OffscreenCanvas(2, 2);
  const latest = { screen: null as VideoFrame | null, camera: null as VideoFrame | null };
  let cameraAt = milli(Number.NEGATIVE_INFINITY);

  const write = () => {
    if (latest.screen === null) return;
    draw(canvas, latest.screen, latest.camera);
    const frame = new VideoFrame(canvas, { timestamp: Math.round(clock.now() * 1_000) });
    // Rejects once the track has ended: nobody wants it any more.
    writer.write(frame).catch(() => frame.close());
  };
  void each(screen, (frame) => {
    latest.screen?.close();
    latest.screen = frame;
    if (clock.now() - cameraAt > MOST_SILENCE) write();
  });
  void each(camera, (frame) => {
    latest.camera?.close();
    latest.camera = frame;
    cameraAt = clock.now();
    write();
  });
}

async function each(frames: ReadableStream<VideoFrame>, take: (frame: VideoFrame) => void): Promise<void> {
  const reader = frames.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    take(value);
  }
}

/** Drawing turns a frame as it is to be seen. */
function draw(canvas: OffscreenCanvas, screen: VideoFrame, camera: VideoFrame | null): void {
  const { width, height } = fitted(sizeOf(screen), MOST);
  // Setting a size clears the canvas, even to the same size.
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d", { alpha: false });
  if (context === null) throw new Error("This browser gives workers no canvas.");
  context.drawImage(screen, 0, 0, width, height);
  if (camera === null) return;
  const place = cornerOf(canvas, sizeOf(camera));
  context.drawImage(camera, place.x, place.y, place.width, place.height);
}

function sizeOf({ displayWidth, displayHeight }: VideoFrame) {
  return { width: displayWidth, height: displayHeight };
}
