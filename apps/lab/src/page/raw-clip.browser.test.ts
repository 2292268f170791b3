import { expect, it } from "vitest";
import { rawClip } from "./raw-clip.ts";

const [WIDTH, HEIGHT] = [64, 36];
const BYTES = (WIDTH * HEIGHT * 3) / 2;
const HEADER = `YUV4MPEG2 W${WIDTH} H${HEIGHT} F30:1 Ip A1:1 C420jpeg\n`;
const FRAME = "FRAME\n";
/** Of 255, how much a JPEG may change a flat picture. */
const NEAR = 3;

/** Of one grey. */
async function jpeg(luma: number): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = new OffscreenCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser draws no pictures");
  context.fillStyle = `rgb(${luma} ${luma} ${luma})`;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  return new Uint8Array(await (await canvas.convertToBlob({ type: "image/jpeg" })).arrayBuffer());
}

it("has every picture with the pixels of its JPEG, one after another", async () => {
  const greys = [0, 100, 255];
  const clip = await rawClip(await Promise.all(greys.map(jpeg)));
  expect(clip.size).toBe(HEADER.length + greys.length * (FRAME.length + BYTES));
  expect(await clip.slice(0, HEADER.length).text()).toBe(HEADER);
  for (const [at, grey] of greys.entries()) {
    const start = HEADER.length + at * (FRAME.length + BYTES);
    expect(await clip.slice(start, start + FRAME.length).text()).toBe(FRAME);
    const pixels = new Uint8Array(await clip.slice(start + FRAME.length, start + FRAME.length + BYTES).arrayBuffer());
    for (const luma of pixels.subarray(0, WIDTH * HEIGHT)) expect(Math.abs(luma - grey)).toBeLessThanOrEqual(NEAR);
    for (const chroma of pixels.subarray(WIDTH * HEIGHT)) expect(Math.abs(chroma - 128)).toBeLessThanOrEqual(NEAR);
  }
});
