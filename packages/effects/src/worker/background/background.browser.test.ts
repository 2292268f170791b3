import { systemClock } from "@sealcast/time";
import { expect, test, vi } from "vitest";
import type { Backdrop } from "../../shared/messages.ts";
import { Background, type Segment } from "./background.ts";

const SIZE = { width: 320, height: 180 };
const MASK = { width: 32, height: 18 };
const BLUR: Backdrop = { kind: "blur" };

/** The person is the left half. */
const leftHalf: Segment = async () => ({
  ...MASK,
  sureness: Array.from({ length: MASK.width * MASK.height }, (_, i) => (i % MASK.width < MASK.width / 2 ? 1 : 0)),
});

/** Narrow waves of black and white: of what is blurred nothing of them is left. */
function striped(timestamp: number): VideoFrame {
  const canvas = new OffscreenCanvas(SIZE.width, SIZE.height);
  const context = canvas.getContext("2d")!;
  for (let x = 0; x < SIZE.width; x++) {
    const grey = Math.round(127 + 127 * Math.sin((2 * Math.PI * x) / 12));
    context.fillStyle = `rgb(${grey} ${grey} ${grey})`;
    context.fillRect(x, 0, 1, SIZE.height);
  }
  return new VideoFrame(canvas, { timestamp });
}

/** How much brighter the brightest pixel is than the darkest, in the left and in the right half, away from their edges. */
function contrasts(frame: VideoFrame): { person: number; room: number; colour: string } {
  const canvas = new OffscreenCanvas(frame.displayWidth, frame.displayHeight);
  const context = canvas.getContext("2d")!;
  context.drawImage(frame, 0, 0);
  const [width, y] = [canvas.width, canvas.height / 2];
  const contrast = (from: number, to: number) => {
    const { data } = context.getImageData(from * width, y, (to - from) * width, 1);
    const reds = [...data].filter((_, i) => i % 4 === 0);
    return Math.max(...reds) - Math.min(...reds);
  };
  const [r, g, b] = context.getImageData(0.9 * width, y, 1, 1).data;
  return { person: contrast(0.1, 0.4), room: contrast(0.6, 0.9), colour: `${r} ${g} ${b}` };
}

function treating(segment: Segment, backdrop = BLUR) {
  const [camera, treated] = [new TransformStream<VideoFrame>(), new TransformStream<VideoFrame>()];
  const background = new Background(segment, backdrop, systemClock);
  let written = 0;
  const ended = background.treat(camera.readable, treated.writable, () => written++);
  const [give, out] = [camera.writable.getWriter(), treated.readable.getReader()];
  const next = async (frame: VideoFrame) => {
    void give.write(frame);
    const { value } = await out.read();
    return value!;
  };
  return { background, ended, next, give, out, written: () => written };
}

test("the person stays sharp and the room is blurred, with the frame's own timestamp", async () => {
  const { next, written } = treating(leftHalf);
  const treated = await next(striped(1_234));
  const { person, room } = contrasts(treated);
  expect([treated.displayWidth, treated.displayHeight, treated.timestamp]).toEqual([320, 180, 1_234]);
  await vi.waitFor(() => expect(written()).toBe(1));
  expect(person).toBeGreaterThan(200);
  expect(room).toBeLessThan(10);
  treated.close();
});

test("another background stands behind the person from the next frame on, and frames get smaller where that is asked", async () => {
  const { background, next } = treating(leftHalf, { kind: "drawn", name: "mist" });
  const [first] = [await next(striped(0))];
  expect(contrasts(first).person).toBeGreaterThan(200);
  const green = new OffscreenCanvas(8, 8);
  Object.assign(green.getContext("2d")!, { fillStyle: "rgb(0, 128, 0)" }).fillRect(0, 0, 8, 8);
  background.show({ kind: "picture", picture: green.transferToImageBitmap() });
  background.mostHeight = 90;
  const second = await next(striped(1));
  expect([second.displayWidth, second.displayHeight]).toEqual([160, 90]);
  expect(contrasts(second)).toMatchObject({ room: 0, colour: "0 128 0" });
  for (const frame of [first, second]) frame.close();
});

test("where nobody is found, all of the room is blurred", async () => {
  const { next } = treating(async () => ({ ...MASK, sureness: [] }));
  const treated = await next(striped(0));
  const { person, room } = contrasts(treated);
  expect([person, room].every((contrast) => contrast < 10)).toBe(true);
  treated.close();
});

test("where finding the person fails, nothing is written: not that frame, and none after it", async () => {
  let frames = 0;
  const { ended, next, give, out } = treating(async (frame) => {
    if (frames++ > 0) throw new Error("the model fails");
    return leftHalf(frame);
  });
  (await next(striped(0))).close();
  const failed = expect(ended).rejects.toThrow("the model fails");
  const second = striped(1);
  await give.write(second);
  await failed;
  expect(second.format, "the camera has its frame back").toBeNull();
  const nothing = Symbol("nothing");
  expect(await Promise.race([out.read(), Promise.resolve(nothing)])).toBe(nothing);
});
