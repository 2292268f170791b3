import { expect, it } from "vitest";
import { jpegs } from "../shared/jpegs.ts";
import { rawClip } from "./raw-clip.ts";

const CLIP = new URL("../../../../packages/testbed/media/bunny-640x360-25fps.mjpeg", import.meta.url);
const [WIDTH, HEIGHT] = [640, 360];
const PIXELS = WIDTH * HEIGHT;
const HEADER = `YUV4MPEG2 W${WIDTH} H${HEIGHT} F59:2 Ip A1:1 C420jpeg\n`;
const FRAME = "FRAME\n";

/** Brightness, blueness and redness as a JPEG has them: means over a picture that the browser draws. */
async function drawn(jpeg: Uint8Array<ArrayBuffer>): Promise<number[]> {
  const context = new OffscreenCanvas(WIDTH, HEIGHT).getContext("2d");
  if (context === null) throw new Error("this browser draws no pictures");
  context.drawImage(await createImageBitmap(new Blob([jpeg], { type: "image/jpeg" })), 0, 0);
  const { data } = context.getImageData(0, 0, WIDTH, HEIGHT);
  const [red, green, blue] = [0, 1, 2].map((channel) =>
    mean(Uint8Array.from(data.filter((_, at) => at % 4 === channel))),
  );
  if (red === undefined || green === undefined || blue === undefined) throw new Error("there are three");
  const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
  return [luma, 128 + (blue - luma) / 1.772, 128 + (red - luma) / 1.402];
}

function mean(of: Uint8Array): number {
  return of.reduce((sum, value) => sum + value, 0) / of.length;
}

it("has every picture as its JPEG shows it, one after another", async () => {
  const all = jpegs(new Uint8Array(await (await fetch(CLIP)).arrayBuffer()));
  const some = [0, 40, 80].map((at) => all[at] ?? new Uint8Array());
  const clip = await rawClip(some);
  const size = FRAME.length + 1.5 * PIXELS;
  expect(clip.size).toBe(HEADER.length + some.length * size);
  expect(await clip.slice(0, HEADER.length).text()).toBe(HEADER);
  for (const [at, jpeg] of some.entries()) {
    const frame = clip.slice(HEADER.length + at * size, HEADER.length + (at + 1) * size);
    expect(await frame.slice(0, FRAME.length).text()).toBe(FRAME);
    const bytes = new Uint8Array(await frame.slice(FRAME.length).arrayBuffer());
    const planes = [bytes.subarray(0, PIXELS), bytes.subarray(PIXELS, 1.25 * PIXELS), bytes.subarray(1.25 * PIXELS)];
    const expected = await drawn(jpeg);
    for (const [of, plane] of planes.entries()) expect(Math.abs(mean(plane) - (expected[of] ?? 0))).toBeLessThan(1);
  }
});
