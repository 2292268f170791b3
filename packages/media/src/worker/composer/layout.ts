export interface FrameSize {
  width: number;
  height: number;
}

export interface PlacedRectangle extends FrameSize {
  x: number;
  y: number;
}

/** The largest that fits into `room` with the same aspect ratio; never larger than it is. */
export function fitted({ width, height }: FrameSize, room: FrameSize): FrameSize {
  const scale = Math.min(1, room.width / width, room.height / height);
  return { width: even(width * scale), height: even(height * scale) };
}

/** Of the stage's width and height, what a picture in its corner takes at most. */
const CORNER = 1 / 4;
/** Of the stage's smaller side, what is left free around it. */
const MARGIN = 1 / 40;

/** Where a picture goes that lies on another: the lower right corner, its aspect ratio kept. */
export function cornerOf(stage: FrameSize, picture: FrameSize): PlacedRectangle {
  const scale = Math.min((CORNER * stage.width) / picture.width, (CORNER * stage.height) / picture.height);
  const { width, height } = { width: even(picture.width * scale), height: even(picture.height * scale) };
  const margin = Math.round(MARGIN * Math.min(stage.width, stage.height));
  return { x: stage.width - margin - width, y: stage.height - margin - height, width, height };
}

/** The nearest even length: encoders halve the lines of colour. */
export function even(length: number): number {
  return Math.max(2, 2 * Math.round(length / 2));
}
