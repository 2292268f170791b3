import { readFileSync } from "node:fs";
import { media } from "@sealcast/testbed";

/** A measure of how much a picture looks like the clip that Chromium's fake camera plays. */

/** Every how many frames of the clip a print is taken: neighbours look alike. */
const EVERY = 3;

/** A picture at 32 by 18 in grey. */
export type Print = number[];

let prints: Promise<Print[]> | null = null;

/** Runs a function in a page. */
type Run = <R, A>(what: (given: A) => R | Promise<R>, given: A) => Promise<R>;

/** Prints of the clip's frames, in order. Decoded by a page of a browser under test, once. */
export function clipPrints(run: Run): Promise<Print[]> {
  prints ??= run(
    printJpegs,
    jpegs().filter((_, index) => index % EVERY === 0),
  );
  return prints;
}

/** The clip's frame that a print looks most like, and how much: 1 is the same, 0 is no likeness. */
export function closest(print: Print, clip: Print[]): { index: number; likeness: number } {
  const likenesses = clip.map((frame) => correlation(print, frame));
  const likeness = Math.max(...likenesses);
  return { index: likenesses.indexOf(likeness), likeness };
}

/** Pearson's correlation of two pictures' grey values; 0 for a picture without any structure. */
function correlation(a: Print, b: Print): number {
  const meanA = mean(a);
  const meanB = mean(b);
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    const da = (a[i] ?? 0) - meanA;
    const db = (b[i] ?? 0) - meanB;
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The JPEGs of the clip, base64. Each begins with FF D8 FF. */
function jpegs(): string[] {
  const clip = readFileSync(media.film360);
  const starts: number[] = [];
  const start = Buffer.from([0xff, 0xd8, 0xff]);
  for (let at = clip.indexOf(start); at >= 0; at = clip.indexOf(start, at + 3)) starts.push(at);
  return starts.map((at, i) => clip.subarray(at, starts[i + 1]).toString("base64"));
}

/** Runs in a page. */
async function printJpegs(jpegs: string[]): Promise<number[][]> {
  const context = new OffscreenCanvas(32, 18).getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("This browser gives no canvas.");
  const prints: number[][] = [];
  for (const jpeg of jpegs) {
    const bytes = Uint8Array.from(atob(jpeg), (letter) => letter.charCodeAt(0));
    context.drawImage(await createImageBitmap(new Blob([bytes], { type: "image/jpeg" })), 0, 0, 32, 18);
    const { data } = context.getImageData(0, 0, 32, 18);
    prints.push(
      Array.from(
        { length: 32 * 18 },
        (_, i) => 0.3 * (data[4 * i] ?? 0) + 0.59 * (data[4 * i + 1] ?? 0) + 0.11 * (data[4 * i + 2] ?? 0),
      ),
    );
  }
  return prints;
}

/** Runs in a page: the print of what a video or canvas shows now; null before a video's first picture. */
export function printVideo(video: Element): number[] | null {
  const isVideo = video instanceof HTMLVideoElement && video.videoWidth > 0;
  if (!isVideo && !(video instanceof HTMLCanvasElement)) return null;
  const context = new OffscreenCanvas(32, 18).getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("This browser gives no canvas.");
  context.drawImage(video, 0, 0, 32, 18);
  const { data } = context.getImageData(0, 0, 32, 18);
  return Array.from(
    { length: 32 * 18 },
    (_, i) => 0.3 * (data[4 * i] ?? 0) + 0.59 * (data[4 * i + 1] ?? 0) + 0.11 * (data[4 * i + 2] ?? 0),
  );
}

/** One colour, and how far a picture is from having it everywhere. */
export interface Flat {
  colour: number[];
  deviation: number;
}

/** Runs in a page: how flat what a video shows is; null before its first picture. */
export function flatness(video: Element): Flat | null {
  if (!(video instanceof HTMLVideoElement) || video.videoWidth === 0) return null;
  const context = new OffscreenCanvas(32, 18).getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("This browser gives no canvas.");
  context.drawImage(video, 0, 0, 32, 18);
  const { data } = context.getImageData(0, 0, 32, 18);
  const channels = [0, 1, 2].map((channel) => [...data.filter((_, at) => at % 4 === channel)]);
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const colour = channels.map(mean);
  const spreads = channels.map((values, c) => mean(values.map((value) => (value - (colour[c] ?? 0)) ** 2)));
  return { colour, deviation: Math.sqrt(Math.max(...spreads)) };
}
