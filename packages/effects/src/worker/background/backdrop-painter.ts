import type { Backdrop } from "../../shared/messages.ts";
import { drawBackdrop } from "./backdrops.ts";
import { writeMask } from "./mask.ts";

/** Blurring a copy of a quarter of the height and width takes a third of the time, and looks the same. */
const SMALLER = 4;
/** Of the frame's height: letters on a wall and faces cannot be made out any more. */
const BLUR = 1 / 30;

/** The model's picture of how sure it is of the person, as large as the model's input. */
export interface Segmented {
  readonly width: number;
  readonly height: number;
  /** One number a place, row by row, 1 for the person. */
  readonly sureness: ArrayLike<number>;
}

/**
 * Puts the person of a frame onto a backdrop. Each frame begins with an empty canvas, onto which of the camera's picture only
 * the person is drawn, and the backdrop behind.
 */
export class BackdropPainter {
  readonly #picture = context();
  readonly #mask = context();
  readonly #small = context();
  #backdrop: Backdrop;
  /** Of the picture's size. */
  #drawn: OffscreenCanvas | null = null;
  #opacities = new ImageData(1, 1);

  /** Throws where this browser's canvas cannot blur. */
  constructor(backdrop: Backdrop) {
    if (!("filter" in this.#small)) throw new Error("This browser's canvas cannot blur.");
    this.#backdrop = backdrop;
  }

  show(backdrop: Backdrop): void {
    if (this.#backdrop.kind === "picture") this.#backdrop.picture.close();
    this.#backdrop = backdrop;
    this.#drawn = null;
  }

  /** The treated frame; the caller closes both. */
  paint(frame: VideoFrame, person: Segmented, mostHeight: number): VideoFrame {
    const { width, height } = sizeOf(frame, mostHeight);
    if (resized(this.#picture.canvas, width, height)) this.#drawn = null;
    this.#setMask(person);
    const to = this.#picture;
    to.globalCompositeOperation = "copy";
    to.drawImage(this.#mask.canvas, 0, 0, width, height);
    to.globalCompositeOperation = "source-in";
    to.drawImage(frame, 0, 0, width, height);
    to.globalCompositeOperation = "destination-over";
    to.drawImage(this.#behind(frame, width, height), 0, 0, width, height);
    return new VideoFrame(to.canvas, { timestamp: frame.timestamp, alpha: "discard" });
  }

  #setMask({ width, height, sureness }: Segmented): void {
    if (resized(this.#mask.canvas, width, height)) this.#opacities = new ImageData(width, height);
    writeMask(sureness, this.#opacities.data);
    this.#mask.putImageData(this.#opacities, 0, 0);
  }

  #behind(frame: VideoFrame, width: number, height: number): OffscreenCanvas {
    if (this.#backdrop.kind === "blur") return this.#blurred(frame, width, height);
    this.#drawn ??=
      this.#backdrop.kind === "drawn"
        ? drawBackdrop(this.#backdrop.name, width, height)
        : covering(this.#backdrop.picture, width, height);
    return this.#drawn;
  }

  /** Drawn past the edges, where a blur would mix in what is not there. */
  #blurred(frame: VideoFrame, fullWidth: number, fullHeight: number): OffscreenCanvas {
    const [width, height] = [Math.ceil(fullWidth / SMALLER), Math.ceil(fullHeight / SMALLER)];
    resized(this.#small.canvas, width, height);
    const radius = Math.max(1, height * BLUR);
    const past = 2 * radius;
    this.#small.filter = `blur(${radius}px)`;
    this.#small.drawImage(frame, -past, -past, width + 2 * past, height + 2 * past);
    return this.#small.canvas;
  }
}

/** Even, since encoders halve the lines of colour. */
function sizeOf({ displayWidth, displayHeight }: VideoFrame, mostHeight: number) {
  const scale = Math.min(1, mostHeight / Math.min(displayWidth, displayHeight));
  const even = (length: number) => Math.max(2, 2 * Math.round((length * scale) / 2));
  return { width: even(displayWidth), height: even(displayHeight) };
}

function covering(picture: ImageBitmap, width: number, height: number): OffscreenCanvas {
  const onto = context();
  resized(onto.canvas, width, height);
  const scale = Math.max(width / picture.width, height / picture.height);
  const [w, h] = [picture.width * scale, picture.height * scale];
  onto.drawImage(picture, (width - w) / 2, (height - h) / 2, w, h);
  return onto.canvas;
}

function context(): OffscreenCanvasRenderingContext2D {
  const made = new OffscreenCanvas(2, 2).getContext("2d");
  if (made === null) throw new Error("This browser gives workers no canvas.");
  return made;
}

/** Setting a size clears a canvas, even to the same size. */
function resized(canvas: OffscreenCanvas, width: number, height: number): boolean {
  if (canvas.width === width && canvas.height === height) return false;
  canvas.width = width;
  canvas.height = height;
  return true;
}
