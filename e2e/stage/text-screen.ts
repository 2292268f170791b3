import type { ChromiumPerson } from "./person.ts";

/** Lines of text on the screen, and how high a letter is. */
const TEXT = { width: 1920, height: 1080, lineHeight: 20, letters: 15 };

/** Runs in the page, before its own scripts: who shares their screen shares a page of small text, in which a cursor blinks. */
export const textScreen = new Function(`(${shareText})(${JSON.stringify(TEXT)})`) as () => void;

function shareText({ width, height, lineHeight, letters }: typeof TEXT): void {
  const text = Object.assign(document.createElement("canvas"), { width, height });
  const context = text.getContext("2d");
  if (context === null) throw new Error("No canvas.");
  const draw = (blinks: boolean) => {
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, width, height);
    context.fillStyle = "#1a1a1a";
    context.font = `${letters}px sans-serif`;
    for (let line = 0; line * lineHeight < height; line++)
      context.fillText(
        `${line} The quick brown fox jumps over the lazy dog; sphinx of black quartz, judge my vow. `.repeat(3),
        8,
        (line + 1) * lineHeight,
      );
    if (blinks) context.fillRect(8, 8, 2, 16);
  };
  let pictures = 0;
  setInterval(() => draw(pictures++ % 8 < 4), 66);
  draw(false);
  Object.assign(globalThis, { text });
  navigator.mediaDevices.getDisplayMedia = async () => {
    const stream = text.captureStream(15);
    for (const track of stream.getVideoTracks()) {
      const settings = track.getSettings.bind(track);
      track.getSettings = () => ({ ...settings(), displaySurface: "monitor" });
    }
    return stream;
  };
}

/** Shows a screen that someone shares at its own size, whatever else is on the page. */
export function enlarge(person: ChromiumPerson, of: string): Promise<void> {
  return person.video(of).evaluate((video) => {
    const tile = video.parentElement;
    if (tile === null) throw new Error("A video is in a tile.");
    for (const element of [tile, video as HTMLElement])
      Object.assign(element.style, {
        position: "fixed",
        inset: "0",
        inlineSize: "1920px",
        blockSize: "1080px",
        zIndex: "9",
      });
  });
}

/** How large the screen comes, and how sharp its text is there: 1 as drawn, 0 nothing to be seen of it. */
export async function sharpness(from: ChromiumPerson, to: ChromiumPerson): Promise<{ height: number; ratio: number }> {
  const drawn = await from.page.evaluate(measure, null);
  const seen = await to.video(`Screen of ${from.name}`).evaluate(measure);
  return { height: seen.height, ratio: seen.edges / drawn.edges };
}

/** Runs in a page: the mean of how much each pixel differs from those around it, of a video or of the text as it was drawn. */
function measure(video: Element | null): { height: number; edges: number } {
  const { text } = globalThis as unknown as { text?: HTMLCanvasElement };
  const source = video instanceof HTMLVideoElement ? video : text;
  if (source === undefined) throw new Error("There is nothing to measure.");
  const height = source instanceof HTMLVideoElement ? source.videoHeight : source.height;
  const context = new OffscreenCanvas(1920, 1080).getContext("2d", { willReadFrequently: true });
  if (context === null) throw new Error("No canvas.");
  context.drawImage(source, 0, 0, 1920, 1080);
  const [width, lines] = [1_200, 600];
  const { data } = context.getImageData(100, 100, width, lines);
  const at = (x: number, y: number) => data[4 * (y * width + x) + 1] ?? 0;
  let edges = 0;
  for (let y = 1; y < lines - 1; y++)
    for (let x = 1; x < width - 1; x++)
      edges += Math.abs(4 * at(x, y) - at(x - 1, y) - at(x + 1, y) - at(x, y - 1) - at(x, y + 1));
  return { height, edges: edges / (width * lines) };
}
