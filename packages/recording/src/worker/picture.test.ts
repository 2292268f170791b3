import { expect, test, vi } from "vitest";
import { RecordedVideo } from "./picture.ts";

test("a frame that comes after the end is closed, and no other is asked for", async () => {
  const cancel = vi.fn();
  let from: ReadableStreamDefaultController<VideoFrame> | null = null;
  const frames = new ReadableStream<VideoFrame>(
    {
      start: (controller) => {
        from = controller;
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
  const closed = new RecordedVideo(frames, { width: 320, height: 180 }).close();
  expect(cancel).not.toHaveBeenCalled();
  const close = vi.fn();
  const frame: Partial<VideoFrame> = { close };
  from!.enqueue(frame as VideoFrame);
  await vi.waitFor(() => expect(close).toHaveBeenCalledOnce());
  await closed;
  expect(cancel).toHaveBeenCalledOnce();
});
