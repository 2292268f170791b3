import { expect, test } from "vitest";
import { fileNameOf } from "./save.ts";

test.each([
  ["A call", 'video/mp4; codecs="avc1.42E01F, opus"', "A call.mp4"],
  ["holiday", "image/png", "holiday.png"],
  ["../../etc/passwd", "image/png", "etc passwd.png"],
  ["a\u202Egnp.exe", "image/png", "a gnp.exe.png"],
  ["  .hidden. ", "audio/wav", "hidden.wav"],
  ["???", "text/html", "sealcast"],
  [`${"x".repeat(99)}. y`, "application/octet-stream", "x".repeat(99)],
  ["x".repeat(200), "video/webm", `${"x".repeat(100)}.webm`],
])("%j of %s is saved as %j", (title, kind, name) => {
  expect(fileNameOf(title, kind)).toBe(name);
});
