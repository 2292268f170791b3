import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, test } from "vitest";
import { parseShown, Showing, type Shown } from "./shown.ts";

const camera = (width: number, height: number): Shown => ({ source: "camera", width, height, keepsRate: false });
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

/** A way to someone, closed at first, and what was said on it. */
function way() {
  const said: (Shown | null)[] = [];
  const is = { open: false };
  const showing = new Showing((body) => {
    if (is.open) said.push(parseShown(body));
    return is.open;
  }, clock);
  return { showing, said, is };
}

test("sizes are told once the way is open: the latest of each picture, and nothing twice", () => {
  const { showing, said, is } = way();
  showing.show(camera(640, 360));
  showing.show({ source: "screen-picture", width: 1920, height: 1080, keepsRate: false });
  showing.show(camera(320, 180));
  clock.advance(milli(1_000));
  expect(said).toEqual([]);
  is.open = true;
  showing.opened();
  expect(said).toEqual([camera(320, 180), { source: "screen-picture", width: 1920, height: 1080, keepsRate: false }]);
  showing.show(camera(320, 180));
  clock.advance(milli(1_000));
  expect(said.length).toBe(2);
});

test("while an edge is dragged, the size is told a few times a second, and at last as it is", () => {
  const { showing, said, is } = way();
  is.open = true;
  for (let width = 1; width <= 100; width++) {
    showing.show(camera(width, 100));
    clock.advance(milli(10));
  }
  clock.advance(milli(1_000));
  expect(said.length).toBeLessThanOrEqual(5);
  expect(said.at(-1)).toEqual(camera(100, 100));
});

test("that frames are not to be left out is told, though the size stays", () => {
  const { showing, said, is } = way();
  is.open = true;
  for (const keepsRate of [false, true, true]) {
    showing.show({ ...camera(640, 360), keepsRate });
    clock.advance(milli(1_000));
  }
  expect(said).toEqual([camera(640, 360), { ...camera(640, 360), keepsRate: true }]);
});

test("what is seen again is told at once, though not more often than anything else", () => {
  const { showing, said, is } = way();
  is.open = true;
  showing.show(camera(0, 0));
  clock.advance(milli(5_000));
  expect(showing.isDue("camera")).toBe(false);
  showing.show(camera(640, 360));
  expect(said).toEqual([camera(0, 0), camera(640, 360)]);
  expect(showing.isDue("camera"), "it takes a while to come").toBe(false);
  clock.advance(milli(2_000));
  expect(showing.isDue("camera")).toBe(true);
  for (let flips = 0; flips < 100; flips++) {
    showing.show(flips % 2 === 0 ? camera(0, 0) : camera(640, 360));
    clock.advance(milli(10));
  }
  clock.advance(milli(1_000));
  expect(said.length).toBeLessThanOrEqual(2 + 5);
  expect(said.at(-1)).toEqual(camera(640, 360));
});

test("what nobody has seen for five seconds rests, and not what they do see", () => {
  const { showing } = way();
  expect(showing.rests("camera"), "nothing is known").toBe(false);
  showing.show(camera(0, 0));
  clock.advance(milli(4_900));
  expect(showing.rests("camera")).toBe(false);
  showing.show(camera(0, 0));
  clock.advance(milli(200));
  expect(showing.rests("camera")).toBe(true);
  showing.show(camera(1, 1));
  expect(showing.rests("camera"), "it is recorded").toBe(false);
});

test("on a new way all is told again", () => {
  const { showing, said, is } = way();
  is.open = true;
  showing.show(camera(640, 360));
  clock.advance(milli(1_000));
  showing.opened();
  expect(said).toEqual([camera(640, 360), camera(640, 360)]);
});

test("after the end nothing is told", () => {
  const { showing, said, is } = way();
  is.open = true;
  showing.show(camera(640, 360));
  showing.close();
  clock.advance(milli(1_000));
  expect(said).toEqual([]);
});

test.each([
  ["no JSON", new TextEncoder().encode("{")],
  ["no UTF-8", Uint8Array.of(0xff)],
  ["another source", bytes({ source: "microphone", width: 1, height: 1 })],
  ["a key more", bytes({ ...camera(1, 1), more: 1 })],
  ["a key less", bytes({ source: "camera", width: 1 })],
  ["another word", bytes({ ...camera(1, 1), keepsRate: 1 })],
  ["less than nothing", bytes(camera(-1, 1))],
  ["a part of a pixel", bytes(camera(1.5, 1))],
  ["larger than any screen", bytes(camera(16_385, 1))],
  ["too long", new TextEncoder().encode(JSON.stringify(camera(1, 1)).padEnd(257))],
])("a message with %s is none", (_, body) => {
  expect(parseShown(body)).toBeNull();
});
