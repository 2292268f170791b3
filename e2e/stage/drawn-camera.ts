import encodeQR from "qr";
import type { ChromiumPerson } from "./person.ts";

/** What stands in a page with a drawn camera. */
interface Drawn {
  scene: CanvasRenderingContext2D;
  held: HTMLImageElement | null;
  opened: number;
  tracks: MediaStreamTrack[];
}

/** Runs in the page, before its own scripts: its camera sees a grey room, and in it what a test holds before it. */
export function drawnCamera(): void {
  const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 480 });
  const scene = canvas.getContext("2d");
  if (scene === null) throw new Error("No canvas.");
  const drawn: Drawn = { scene, held: null, opened: 0, tracks: [] };
  const draw = () => {
    scene.resetTransform();
    scene.fillStyle = `hsl(200 10% ${40 + (Date.now() % 7)}%)`;
    scene.fillRect(0, 0, 640, 480);
    // Held as by a hand: a little aslant, with white around it, as on a screen.
    scene.setTransform(1, 0.08, -0.06, 0.96, 180, 80);
    scene.fillStyle = "#ddd";
    if (drawn.held !== null) {
      scene.fillRect(0, 0, 300, 300);
      scene.drawImage(drawn.held, 30, 30, 240, 240);
    }
  };
  setInterval(draw, 100);
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    if (!constraints?.video) return original(constraints);
    drawn.opened++;
    const stream = canvas.captureStream(10);
    drawn.tracks.push(...stream.getTracks());
    return stream;
  };
  const clone = MediaStreamTrack.prototype.clone;
  MediaStreamTrack.prototype.clone = function () {
    const copy = clone.call(this);
    if (this.kind === "video") drawn.tracks.push(copy);
    return copy;
  };
  Object.assign(globalThis, { drawn });
}

/** Holds a picture (a data address) before the drawn camera; null takes it away. */
export function hold({ page }: ChromiumPerson, picture: string | null): Promise<void> {
  return page.evaluate(async (source) => {
    const { drawn } = globalThis as unknown as { drawn: Drawn };
    drawn.held = null;
    if (source === null) return;
    const image = new Image();
    image.src = source;
    await image.decode();
    drawn.held = image;
  }, picture);
}

/** A QR code as a data address, to hold before the drawn camera. */
export function qrCode(text: string): string {
  return `data:image/svg+xml,${encodeURIComponent(encodeQR(text, "svg", { border: 4 }))}`;
}

/** How often the drawn camera was opened, and how many tracks of it live now. */
export function cameras({ page }: ChromiumPerson): Promise<{ opened: number; live: number }> {
  return page.evaluate(() => {
    const { opened, tracks } = (globalThis as unknown as { drawn: Drawn }).drawn;
    return { opened, live: tracks.filter(({ readyState }) => readyState === "live").length };
  });
}
