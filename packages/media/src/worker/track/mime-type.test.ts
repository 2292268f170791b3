import { expect, test } from "vitest";
import type { EncodedFrame } from "./frame-writer.ts";
import { MimeType } from "./mime-type.ts";

/** A frame as far as its codec is asked for. */
function frame(mimeType: string, type?: "key" | "delta"): EncodedFrame {
  return { getMetadata: () => ({ mimeType }), ...(type && { type }) } as unknown as EncodedFrame;
}

test("a picture's codec is that of its last key frame", () => {
  const types = new MimeType("video");
  expect(types.of(frame("video/VP8", "key"), true)).toBe("video/VP8");
  expect(types.of(frame("not asked", "delta"), false)).toBe("video/VP8");
  expect(types.of(frame("video/VP9", "key"), true)).toBe("video/VP9");
  expect(types.of(frame("not asked", "delta"), false)).toBe("video/VP9");
});

test("the first frame and the one after a frame that did not pass are asked", () => {
  const types = new MimeType("video");
  expect(types.of(frame("video/VP8", "delta"), false)).toBe("video/VP8");
  types.forget();
  expect(types.of(frame("video/VP9", "delta"), false)).toBe("video/VP9");
});

test("sound is asked each time", () => {
  const types = new MimeType("audio");
  expect(types.of(frame("audio/opus"), false)).toBe("audio/opus");
  expect(types.of(frame("audio/red"), false)).toBe("audio/red");
});
