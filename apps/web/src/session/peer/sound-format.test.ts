import { expect, test } from "vitest";
import { packetMs, soundFormat } from "./sound-format.ts";

test("sound for one goes in the shortest packets, for several in longer ones", () => {
  expect([0, 1, 2, 3, 4, 12].map(packetMs)).toEqual([20, 20, 40, 40, 60, 60]);
});

test("a screen's sound has more bits than speech, two channels and no gaps; who hides speech patterns hides those of both", () => {
  const format = (source: "microphone" | "screen-sound", hidesSpeech: boolean) =>
    soundFormat(source, { receivers: 1, hidesSpeech });
  expect(format("microphone", false)).toEqual({ packetMs: 20, transmission: "discontinuous" });
  const screen = { packetMs: 20, transmission: "continuous", bitsPerSecond: 96_000, isStereo: true };
  expect(format("screen-sound", false)).toEqual(screen);
  expect(format("microphone", true).transmission).toBe("constant");
  expect(format("screen-sound", true).transmission).toBe("constant");
});
