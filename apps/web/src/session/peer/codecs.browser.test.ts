import { afterEach, expect, test, vi } from "vitest";
import { playable } from "./codecs.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("a codec that the browser decodes of a connection alone is not playable", async () => {
  const all = ["video/h264", "video/vp8", "video/vp9", "video/av1"];
  expect(await playable([...all, "video/of-tomorrow"])).toEqual(all);
  const ask = VideoDecoder.isConfigSupported.bind(VideoDecoder);
  vi.spyOn(VideoDecoder, "isConfigSupported").mockImplementation(async (config) =>
    config.codec.startsWith("avc1") ? { supported: false, config } : ask(config),
  );
  expect(await playable(all)).toEqual(["video/vp8", "video/vp9", "video/av1"]);
});
