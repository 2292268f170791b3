import { type Clock, ManualClock, milli } from "@sealcast/time";
import { expect, it } from "vitest";
import { Keyring } from "../sealing/keyring.ts";
import { ONE_LAYER } from "../sealing/layers.ts";
import { Policies } from "../sealing/policies.ts";
import { WorkerLoad } from "../track/worker-load.ts";
import { FanOutEncoder } from "./fan-out-encoder.ts";

const FORMAT = { format: "RGBA", codedWidth: 64, codedHeight: 36, timestamp: 0 } as const;

/** Has a fan-out show a picture; gives the frames that it got, with nobody to send them to. */
function shown(
  { standsStill }: { standsStill: boolean },
  clock?: Clock,
): { fanOut: FanOutEncoder; give(): Promise<VideoFrame> } {
  const shared = { keyring: new Keyring(ONE_LAYER), policies: new Policies(), load: new WorkerLoad() };
  const wishes = { standInKey: () => undefined, tell: () => undefined };
  const sealers = [0, 1, 2].map((instance) => ({ instance, first: 0 }));
  const fanOut = new FanOutEncoder("camera", sealers, () => null, shared, wishes, clock);
  const { readable, writable } = new TransformStream<VideoFrame, VideoFrame>();
  fanOut.hear({ type: "show", picture: readable, standsStill, isText: false });
  const writer = writable.getWriter();
  const give = async () => {
    const frame = new VideoFrame(new Uint8Array(4 * 64 * 36), FORMAT);
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
