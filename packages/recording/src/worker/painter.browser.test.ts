import { expect, it } from "vitest";
import { gridOf } from "./grid.ts";
import { Painter } from "./painter.ts";

const HD = { width: 1280, height: 720 };

/** A track whose frames are given one by one, of one colour each. */
function track() {
  const { readable, writable } = new TransformStream<VideoFrame, VideoFrame>();
  const writer = writable.getWriter();
  const give = async (colour: string, { width, height } = { width: 160, height: 90 }) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d")!;
    context.fillStyle = colour;
    context.fillRect(0, 0, width, height);
    const frame = new VideoFrame(canvas, { timestamp: 0 });
    await writer.write(frame);
    // It is read, and drawn, in this turn.
    await new Promise((next) => setTimeout(next));
    return frame;
  };
  return { frames: readable, give, end: () => writer.close() };
}

function painted() {
  const canvas = new OffscreenCanvas(HD.width, HD.height);
  const painter = new Painter(canvas);
  const colourAt = (x: number, y: number) => {
    const [r, g, b] = canvas.getContext("2d")!.getImageData(x, y, 1, 1).data;
    return `${r} ${g} ${b}`;
  };
  /** At a corner of a tile, where neither name nor initials are. */
  const colours = (count: number) => {
    painter.draw();
    return gridOf(count, HD).map(({ x, y, width, height }) =>
      colourAt(Math.floor(x + width / 2), Math.floor(y + height / 10)),
    );
  };
  return { painter, canvas, colours, colourAt };
}

const RED = "255 0 0";
const BLUE = "0 0 255";
const TILE = "32 39 46";

it("draws each picture in its tile, in the order that it is told", async () => {
  const { painter, colours } = painted();
  const [ann, ben] = [track(), track()];
  const added = [
    { picture: 0, frames: ann.frames },
    { picture: 1, frames: ben.frames },
  ];
  const voices = [
    { name: "Ann", picture: 0 },
    { name: "Ben", picture: 1 },
    { name: "Cem", picture: null },
  ];
  painter.show(voices, added);
  expect(colours(3)).toEqual([TILE, TILE, TILE]);
  await ann.give("red");
  await ben.give("blue");
  expect(colours(3)).toEqual([RED, BLUE, TILE]);
  painter.show(voices.toReversed(), []);
  expect(colours(3)).toEqual([TILE, BLUE, RED]);
});

it("has nothing of who is no longer shown in the very next drawing, whatever still comes of them", async () => {
  const { painter, canvas, colours } = painted();
  const [ann, ben] = [track(), track()];
  painter.show(
    [
      { name: "Ann", picture: 0 },
      { name: "Ben", picture: 1 },
    ],
    [
      { picture: 0, frames: ann.frames },
      { picture: 1, frames: ben.frames },
    ],
  );
  await ann.give("red");
  await ben.give("blue");
  painter.show([{ name: "Ann", picture: 0 }], []);
  const without = () => {
    painter.draw();
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, HD.width, HD.height);
    return !data.some((value, n) => n % 4 === 2 && value > 200 && data[n - 1]! < 50 && data[n - 2]! < 50);
  };
  expect(without()).toBe(true);
  expect((await ben.give("blue")).codedWidth, "of a frame that was closed").toBe(0);
  expect(without()).toBe(true);
  await expect(ben.give("blue")).rejects.toBeUndefined();
  expect(without()).toBe(true);
  expect(colours(1)).toEqual([RED]);
  painter.show([], []);
  painter.draw();
  const { data } = canvas.getContext("2d")!.getImageData(0, 0, HD.width, HD.height);
  expect(new Set(data).size).toBe(4);
});

it("shows no old picture of who turned the camera off, or whose track ended", async () => {
  const { painter, colours } = painted();
  const [ann, ben] = [track(), track()];
  const ofBen = { name: "Ben", picture: 1 };
  const added = [
    { picture: 0, frames: ann.frames },
    { picture: 1, frames: ben.frames },
  ];
  painter.show([{ name: "Ann", picture: 0 }, ofBen], added);
  await ann.give("red");
  await ben.give("blue");
  painter.show([{ name: "Ann", picture: null }, ofBen], []);
  expect(colours(2)).toEqual([TILE, BLUE]);
  await ben.end();
  await new Promise((next) => setTimeout(next));
  expect(colours(2)).toEqual([TILE, TILE]);
});

it("gives each frame back at once: a camera has few places for them", async () => {
  const { painter } = painted();
  const ann = track();
  painter.show([{ name: "Ann", picture: 0 }], [{ picture: 0, frames: ann.frames }]);
  expect((await ann.give("red")).codedWidth).toBe(0);
  expect((await ann.give("blue", { width: 90, height: 160 })).codedWidth).toBe(0);
});

it("cuts nothing off a picture, and no name reaches out of its tile", async () => {
  const { painter, canvas, colourAt } = painted();
  const ann = track();
  painter.show(
    [
      { name: "Ann", picture: 0 },
      // A single character, as Unicode counts, that is drawn as many.
      { name: new Array(60).fill("\u{1f469}").join("\u200d"), picture: null },
    ],
    [{ picture: 0, frames: ann.frames }],
  );
  await ann.give("red", { width: 90, height: 160 });
  painter.draw();
  const [left, right] = gridOf(2, HD);
  expect(colourAt(left!.x + 5, left!.y + 20)).toBe(TILE);
  expect(colourAt(left!.x + Math.floor(left!.width / 2), left!.y + 2)).toBe(RED);
  const colours = (x: number, y: number, width: number, height: number) =>
    new Set(canvas.getContext("2d")!.getImageData(x, y, width, height).data).size;
  // Each is of one colour: of the left tile beside its picture, and of the background.
  expect(colours(right!.x - 80, right!.y, 60, right!.height)).toBe(4);
  expect(colours(right!.x + right!.width, 0, HD.width - right!.x - right!.width, HD.height)).toBe(4);
});

it("closed, waits until the next frame of each has come and is given back, also of who was shown before", async () => {
  const { painter } = painted();
  const [ann, ben] = [track(), track()];
  const added = [
    { picture: 0, frames: ann.frames },
    { picture: 1, frames: ben.frames },
  ];
  painter.show([{ name: "Ann", picture: 0 }], added);
  let isClosed = false;
  const closed = painter.close().then(() => {
    isClosed = true;
  });
  const last = await ann.give("red");
  expect([isClosed, last.format], "Ben's is on its way").toEqual([false, null]);
  await ben.give("blue");
  await closed;
});
