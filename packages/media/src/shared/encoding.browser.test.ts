import { expect, test } from "vitest";
import { encoderConfig } from "./encoding.ts";

/** What comes out of an encoder that gets this number of frames of that size. */
async function encoded(config: VideoEncoderConfig, frames: number) {
  const chunks: { isKey: boolean; layer: number }[] = [];
  const errors: unknown[] = [];
  const encoder = new VideoEncoder({
    output: ({ type }, metadata) =>
      void chunks.push({ isKey: type === "key", layer: metadata?.svc?.temporalLayerId ?? 0 }),
    error: (error) => void errors.push(error),
  });
  encoder.configure(config);
  const canvas = new OffscreenCanvas(config.width, config.height);
  const context = canvas.getContext("2d");
  for (let at = 0; at < frames; at++) {
    context?.fillText(`Frame ${at}`, 20, 20 * (at + 1));
    const frame = new VideoFrame(canvas, { timestamp: at * 66_000 });
    encoder.encode(frame);
    frame.close();
  }
  await encoder.flush();
  encoder.close();
  return { chunks, errors };
}

test.each(["video/h264", "video/vp8", "video/vp9", "video/av1"])(
  "text is encoded in %s, in three temporal layers, as what moves is",
  async (mimeType) => {
    for (const isText of [false, true]) {
      const config = encoderConfig({ mimeType, width: 640, height: 360, bitrate: 500_000, isText });
      if (config === null || !(await VideoEncoder.isConfigSupported(config)).supported) expect.unreachable();
      const { chunks, errors } = await encoded(config as VideoEncoderConfig, 8);
      expect(errors, `text: ${isText}`).toEqual([]);
      expect(chunks.map(({ layer }) => layer).slice(0, 8)).toEqual([0, 2, 1, 2, 0, 2, 1, 2]);
      expect(chunks.filter(({ isKey }) => isKey).length).toBe(1);
    }
  },
);
