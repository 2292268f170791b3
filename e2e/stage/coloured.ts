import { expect } from "./expect.ts";
import type { ChromiumPerson } from "./person.ts";

/** Of one colour each, and a little brighter or darker with each picture. */
const COLOURS = { camera: "red", screen: "blue" } as const;
type Colour = (typeof COLOURS)[keyof typeof COLOURS];

/** What stands in a page with coloured sources. */
interface Coloured {
  camera: HTMLCanvasElement;
  screen: HTMLCanvasElement;
  shared: MediaStreamTrack[];
  /** Nothing moves: no picture comes. */
  isStill: boolean;
}

/**
 * Runs in the page, before its own scripts: its camera is red all over, and who shares their screen shares a blue one with a
 * tone, that says it is a screen as the browser's own do. Both can be resized while they run.
 */
export function colouredSources(): void {
  const source = (width: number, height: number, hue: number) => {
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    let pictures = 0;
    setInterval(() => {
      if (context === null || coloured.isStill) return;
      context.fillStyle = `hsl(${hue} 100% ${46 + (pictures++ % 8)}%)`;
      context.fillRect(0, 0, canvas.width, canvas.height);
    }, 100);
    return canvas;
  };
  const [camera, screen] = [source(640, 360, 0), source(1280, 800, 240)];
  const coloured: Coloured = { camera, screen, shared: [], isStill: false };
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (constraints) =>
    constraints?.video ? camera.captureStream(10) : original(constraints);
  navigator.mediaDevices.getDisplayMedia = async (options) => {
    const context = new AudioContext();
    const tone = new OscillatorNode(context);
    const into = context.createMediaStreamDestination();
    tone.connect(into);
    tone.start();
    const sound = options?.audio ? into.stream.getTracks() : [];
    const pictures = screen.captureStream(10).getVideoTracks();
    for (const track of pictures) {
      const settings = track.getSettings.bind(track);
      track.getSettings = () => ({ ...settings(), displaySurface: "monitor" });
    }
    const stream = new MediaStream([...pictures, ...sound]);
    coloured.shared = stream.getTracks();
    return stream;
  };
  Object.assign(globalThis, { coloured });
}

/** Has a coloured source give pictures of another size. */
export function resize(
  { page }: ChromiumPerson,
  source: keyof typeof COLOURS,
  width: number,
  height: number,
): Promise<void> {
  return page.evaluate(
    ([source, width, height]) => {
      const { coloured } = globalThis as unknown as { coloured: Coloured };
      Object.assign(coloured[source], { width, height });
    },
    [source, width, height] as const,
  );
}

/** Nothing moves any more before someone's coloured sources: they give no pictures. */
export function holdStill({ page }: ChromiumPerson): Promise<void> {
  return page.evaluate(() => {
    (globalThis as unknown as { coloured: Coloured }).coloured.isStill = true;
  });
}

/** As the browser's own "Stop sharing" does. */
export function stopSharing({ page }: ChromiumPerson): Promise<void> {
  return page.evaluate(() => {
    const { shared } = (globalThis as unknown as { coloured: Coloured }).coloured;
    for (const track of shared) {
      track.stop();
      track.dispatchEvent(new Event("ended"));
    }
  });
}

/** What a picture shows in its middle and in its lower right corner, and its width over its height, to a tenth. */
interface Seen {
  middle: Colour | null;
  corner: Colour | null;
  aspect: number;
}

/** Waits until someone sees that, in pictures that go on coming. */
export async function sees(person: ChromiumPerson, of: string, expected: Partial<Seen>): Promise<void> {
  const video = person.video(of);
  const frames = () => video.evaluate((video: HTMLVideoElement) => video.getVideoPlaybackQuality().totalVideoFrames);
  await expect.poll(() => video.evaluate(look), { timeout: 30_000 }).toMatchObject(expected);
  const before = await frames();
  await expect.poll(frames, { timeout: 30_000, message: `pictures of ${of} that come` }).toBeGreaterThan(before + 3);
  expect(await video.evaluate(look)).toMatchObject(expected);
}

/** Runs in a page. */
function look(video: Element): Seen {
  if (!(video instanceof HTMLVideoElement)) throw new Error("This is no video.");
  const { videoWidth: width, videoHeight: height } = video;
  const context = new OffscreenCanvas(64, 64).getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("This browser gives no canvas.");
  if (width > 0) context.drawImage(video, 0, 0, 64, 64);
  const at = (x: number, y: number) => {
    const [red = 0, , blue = 0] = context.getImageData(x, y, 1, 1).data;
    if (Math.abs(red - blue) < 80) return null;
    return red > blue ? "red" : "blue";
  };
  return { middle: at(32, 32), corner: at(60, 60), aspect: Math.round((10 * width) / height) / 10 };
}
