import { edgesOf } from "./outlines.page.ts";
import { type Luma, lumaOf } from "./ssim.page.ts";

/** A picture in the size in which pictures are compared, and what they are compared by. */
export interface ComparedPicture {
  picture: ImageData;
  luma: Luma;
  edges: Float32Array;
}

const WIDTH = 320;
const HEIGHT = 180;
const OPAQUE = 255;

const context = new OffscreenCanvas(WIDTH, HEIGHT).getContext("2d", { willReadFrequently: true });

/** A picture of any size, which stays the caller's. */
export function compared(picture: VideoFrame): ComparedPicture {
  if (context === null) throw new Error("this browser draws no pictures");
  context.drawImage(picture, 0, 0, WIDTH, HEIGHT);
  return comparedBy(context.getImageData(0, 0, WIDTH, HEIGHT));
}

/** What is on screen before there is a picture. */
export function grey(): ComparedPicture {
  const picture = new ImageData(WIDTH, HEIGHT);
  picture.data.fill(128);
  for (let alpha = 3; alpha < picture.data.length; alpha += 4) picture.data[alpha] = OPAQUE;
  return comparedBy(picture);
}

function comparedBy(picture: ImageData): ComparedPicture {
  const luma = lumaOf(picture);
  return { picture, luma, edges: edgesOf(luma) };
}
