import { onComputersClock } from "../shared/clock.ts";
import type { ToReader } from "../shared/messages.ts";
import { sight } from "../shared/sighting.ts";

addEventListener("message", ({ data }: MessageEvent<ToReader>) => {
  if (data.type === "picture") void tell(data.frame, data.presented);
  else void watch(data.pictures);
});

async function watch(pictures: ReadableStream<VideoFrame>): Promise<void> {
  for await (const frame of pictures) await tell(frame, onComputersClock(performance.now()));
}

async function tell(frame: VideoFrame, presented: number): Promise<void> {
  postMessage(await sight(frame, presented));
}
