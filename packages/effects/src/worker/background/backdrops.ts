import type { DrawnBackdrop } from "../../shared/messages.ts";

/** From the upper left to the lower right. */
const COLOURS: Readonly<Record<DrawnBackdrop, readonly [string, string, string]>> = {
  dusk: ["#1d2b4f", "#5b5480", "#c98f7d"],
  mist: ["#e9edf0", "#cfd9dd", "#a9bcc3"],
  leaf: ["#0f3d3e", "#2f6b5b", "#8fae7b"],
};

/** A plain background of that size. */
export function drawBackdrop(name: DrawnBackdrop, width: number, height: number): OffscreenCanvas {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { alpha: false });
  if (context === null) throw new Error("This browser gives workers no canvas.");
  const gradient = context.createLinearGradient(0, 0, width, height);
  COLOURS[name].forEach((colour, at, { length }) => {
    gradient.addColorStop(at / (length - 1), colour);
  });
  context.fillStyle = gradient;
  context.fillRect(0, 0, width, height);
  return canvas;
}
