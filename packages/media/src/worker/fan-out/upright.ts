/** Not in the types of the platform yet (WebCodecs, VideoFrame's orientation). */
interface Oriented {
  readonly rotation?: number;
  readonly flip?: boolean;
}

/**
 * The frame as it is to be seen: RTP carries the rotation of the stand-in, not of the sealed frame. Takes the frame and gives
 * one that the caller closes.
 */
export function upright(frame: VideoFrame): VideoFrame {
  const { rotation = 0, flip = false }: VideoFrame & Oriented = frame;
  if (rotation === 0 && !flip) return frame;
  // Drawing applies both.
  const canvas = new OffscreenCanvas(frame.displayWidth, frame.displayHeight);
  canvas.getContext("2d")?.drawImage(frame, 0, 0);
  const turned = new VideoFrame(canvas, { timestamp: frame.timestamp });
  frame.close();
  return turned;
}
