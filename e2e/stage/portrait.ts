import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeDevices, media } from "@sealcast/testbed";
import type { ChromiumPerson } from "./person.ts";

/** Flags for a camera that sees someone in a room full of things, and a microphone that beeps. */
export const portrait = (): string[] => fakeDevices(media.portrait);

const WAV = { headerBytes: 44, sampleRate: 16_000 };
/** Root mean square of the noise, of full scale. */
const NOISE = 0.02;

/** Flags besides: the microphone hears someone read aloud in a noisy room. Writes a file into `folder`. */
export function readingInNoise(folder: string): string[] {
  const file = join(folder, "reading-in-noise.wav");
  const wav = readFileSync(media.reading);
  let seed = 1;
  for (let at = WAV.headerBytes; at + 1 < wav.length; at += 2) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    const noise = (seed / 0x3fff_ffff - 1) * NOISE * Math.sqrt(3);
    const sample = Math.round(wav.readInt16LE(at) + 32_767 * noise);
    wav.writeInt16LE(Math.max(-32_768, Math.min(32_767, sample)), at);
  }
  writeFileSync(file, wav);
  return [`--use-file-for-fake-audio-capture=${file}`];
}

/** How much neighbouring pixels differ, on average, in the room and in the face. */
interface Sharpness {
  readonly room: number;
  readonly face: number;
}

/** What a page has seen of a video since `watchSharpness`: of every frame that was shown. */
export interface SharpnessSeen {
  readonly frames: number;
  readonly sharpestRoom: number;
  readonly last: Sharpness;
}

/** From now on each frame that someone's tile or preview shows is looked at. The element may be a new one each time. */
export function watchSharpness({ page }: ChromiumPerson, selector: string): Promise<void> {
  return page.evaluate(lookOn, selector);
}

/** Since it was asked last. */
export function sharpnessSeen({ page }: ChromiumPerson): Promise<SharpnessSeen> {
  return page.evaluate(() => {
    const watching = (globalThis as unknown as { sharpness: SharpnessSeen }).sharpness;
    const seen = { ...watching };
    Object.assign(watching, { frames: 0, sharpestRoom: 0 });
    return seen;
  });
}

/** Runs in a page. */
function lookOn(selector: string): void {
  const seen = { frames: 0, sharpestRoom: 0, last: { room: 0, face: 0 } };
  Object.assign(globalThis, { sharpness: seen });
  const canvas = new OffscreenCanvas(320, 180);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const edges = (x: number, y: number, width: number, height: number) => {
    const { data } = context?.getImageData(x, y, width, height) ?? { data: [] };
    let sum = 0;
    for (let at = 4; at < data.length; at += 4)
      if ((at / 4) % width !== 0) sum += Math.abs((data[at] ?? 0) - (data[at - 4] ?? 0));
    return sum / (width * height);
  };
  const look = (video: HTMLVideoElement) => {
    context?.drawImage(video, 0, 0, 320, 180);
    // The flag to the left, the shuttle to the right; the face in the middle.
    const room = (edges(0, 0, 45, 100) + edges(230, 10, 60, 130)) / 2;
    seen.last = { room, face: edges(118, 45, 50, 60) };
    seen.frames++;
    seen.sharpestRoom = Math.max(seen.sharpestRoom, room);
  };
  const watched = new WeakSet<Element>();
  const watch = () => {
    for (const video of document.querySelectorAll(selector)) {
      if (!(video instanceof HTMLVideoElement) || watched.has(video)) continue;
      watched.add(video);
      const next = () => {
        look(video);
        video.requestVideoFrameCallback(next);
      };
      video.requestVideoFrameCallback(next);
    }
  };
  watch();
  new MutationObserver(watch).observe(document.documentElement, { childList: true, subtree: true });
}
