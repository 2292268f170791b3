import { expect, test } from "vitest";
import { cornerOf, fitted } from "./layout.ts";

const ROOM = { width: 1920, height: 1080 };

test.each([
  ["smaller than the room", { width: 1280, height: 800 }, { width: 1280, height: 800 }],
  ["too wide", { width: 3840, height: 1080 }, { width: 1920, height: 540 }],
  ["too tall", { width: 1080, height: 2160 }, { width: 540, height: 1080 }],
  ["too large both ways", { width: 3840, height: 2400 }, { width: 1728, height: 1080 }],
  ["odd", { width: 1281, height: 801 }, { width: 1282, height: 802 }],
])("a picture that is %s", (_, picture, size) => {
  expect(fitted(picture, ROOM)).toEqual(size);
});

test.each([
  ["as wide as the stage", { width: 640, height: 360 }, { x: 933, y: 513, width: 320, height: 180 }],
  ["narrower", { width: 640, height: 480 }, { x: 1013, y: 513, width: 240, height: 180 }],
  ["tall", { width: 360, height: 640 }, { x: 1151, y: 513, width: 102, height: 180 }],
])("the corner for a camera %s", (_, camera, place) => {
  expect(cornerOf({ width: 1280, height: 720 }, camera)).toEqual({ ...place, x: 1280 - 18 - place.width, y: 522 });
});
