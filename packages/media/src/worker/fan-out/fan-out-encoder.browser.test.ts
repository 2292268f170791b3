import { type Clock, ManualClock, milli } from "@sealcast/time";
import { expect, it, vi } from "vitest";
import type { RelayFeed } from "../relay-feed.ts";
import { Keyring } from "../sealing/keyring.ts";
import { ONE_LAYER } from "../sealing/layers.ts";
import { Policies } from "../sealing/policies.ts";
import { WorkerLoad } from "../track/worker-load.ts";
import { FanOutEncoder } from "./fan-out-encoder.ts";

const FORMAT = { format: "RGBA", codedWidth: 64, codedHeight: 36, timestamp: 0 } as const;
const LARGE = { format: "RGBA", codedWidth: 1280, codedHeight: 720, timestamp: 0 } as const;

/** Has a fan-out show a picture; gives the frames that it got, with nobody to send them to. */
function shown({ standsStill }: { standsStill: boolean }, clock?: Clock, feed: RelayFeed | null = null) {
  const shared = {
    keyring: new Keyring(ONE_LAYER),
    policies: new Policies(),
    load: new WorkerLoad(),
    feed: () => feed,
  };
  const wishes = { standInKey: () => undefined, tell: () => undefined };
  const sealers = [0, 1, 2].map((instance) => ({ instance, first: 0 }));
  const fanOut = new FanOutEncoder("camera", sealers, () => null, shared, wishes, clock);
  const { readable, writable } = new TransformStream<VideoFrame, VideoFrame>();
  fanOut.hear({ type: "show", picture: readable, standsStill, isText: false });
  const writer = writable.getWriter();
  const give = async (format: typeof FORMAT | typeof LARGE = FORMAT) => {
    const frame = new VideoFrame(new Uint8Array(4 * format.codedWidth * format.codedHeight), format);
    await writer.write(frame);
    // It is read, and worked on, in this turn.
    await new Promise((next) => setTimeout(next));
    return frame;
  };
  return { fanOut, give };
}

/** A closed frame has no pixels, and no size. */
const isGivenBack = (frame: VideoFrame) => frame.codedWidth === 0;

it("gives a camera its frames back at once", async () => {
  const { give } = shown({ standsStill: false });
  expect(isGivenBack(await give())).toBe(true);
});

it("keeps the last frame of what may stand still, until the next one comes or the picture ends", async () => {
  const { fanOut, give } = shown({ standsStill: true });
  const first = await give();
  expect(isGivenBack(first)).toBe(false);
  const second = await give();
  expect([first, second].map(isGivenBack)).toEqual([true, false]);
  fanOut.hear({ type: "show", picture: null, standsStill: false, isText: false });
  expect(isGivenBack(second)).toBe(true);
});

it("takes what stands still again after half a second without another frame", async () => {
  const clock = new ManualClock();
  const { fanOut, give } = shown({ standsStill: true }, clock);
  const frame = await give();
  clock.advance(milli(499));
  expect(isGivenBack(frame)).toBe(false);
  clock.advance(milli(1));
  expect(isGivenBack(frame), "a copy takes its place").toBe(true);
  fanOut.hear({ type: "show", picture: null, standsStill: false, isText: false });
  expect(clock.advance(milli(10_000)), "nothing is taken any more").toBe(false);
});

it("gives back what still comes of a picture that is shown no more", async () => {
  const { fanOut, give } = shown({ standsStill: true });
  await give();
  fanOut.hear({ type: "show", picture: null, standsStill: false, isText: false });
  expect(isGivenBack(await give())).toBe(true);
});

it("encodes nothing that still comes of a picture that is shown no more", async () => {
  const configure = vi.spyOn(VideoEncoder.prototype, "configure");
  const feed = { isWatched: () => true, write: () => undefined } as unknown as RelayFeed;
  const { fanOut, give } = shown({ standsStill: false }, undefined, feed);
  fanOut.hear({ type: "encode-as", mimeType: "video/vp8" });
  await give(LARGE);
  expect(configure).toHaveBeenCalled();
  fanOut.hear({ type: "show", picture: null, standsStill: false, isText: false });
  configure.mockClear();
  expect(isGivenBack(await give(LARGE))).toBe(true);
  expect(configure).not.toHaveBeenCalled();
  configure.mockRestore();
});

it("makes no more of a size for relays than of one for a link that carries as little", async () => {
  const rates = new Map<number, number>();
  const configure = vi.spyOn(VideoEncoder.prototype, "configure").mockImplementation(({ width, bitrate = 0 }) => {
    rates.set(width, bitrate);
  });
  const feed = { isWatched: () => true, write: () => undefined } as unknown as RelayFeed;
  const { fanOut, give } = shown({ standsStill: false }, undefined, feed);
  fanOut.hear({ type: "encode-as", mimeType: "video/vp8" });
  await give(LARGE);
  expect(Object.fromEntries(rates)).toEqual({ 1280: 2_000_000, 640: 1_000_000, 320: 500_000 });
  fanOut.hear({ type: "limit", bitsPerSecond: 700_000 });
  await give(LARGE);
  // The largest looks like nothing with less.
  expect(Object.fromEntries(rates)).toEqual({ 1280: 800_000, 640: 630_000, 320: 500_000 });
  configure.mockRestore();
});
