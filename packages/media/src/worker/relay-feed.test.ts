import type { PublishedFrame, PublishingWish } from "@sealcast/protocol";
import { milli } from "@sealcast/time";
import { expect, onTestFinished, test, vi } from "vitest";
import { RelayFeed } from "./relay-feed.ts";
import { WorkerLoad } from "./track/worker-load.ts";

const SEALED = {
  clear: Uint8Array.of(9),
  mimeType: "video/vp8",
  since: milli(0),
  encoding: milli(Number.NaN),
  epoch: 1,
  overhead: 20,
  readable: false,
};

function published(load = new WorkerLoad()) {
  const { port1, port2 } = new MessageChannel();
  const came: PublishedFrame[] = [];
  const started: string[] = [];
  port2.onmessage = ({ data }: MessageEvent<PublishedFrame>) => came.push(data);
  const feed = new RelayFeed(port1, load, (track) => started.push(track));
  onTestFinished(() => {
    feed.close();
    port2.close();
  });
  const says = async (wish: PublishingWish, then: () => void) => {
    port2.postMessage(wish);
    await vi.waitFor(then);
  };
  return { feed, came, started, says };
}

test("a track goes out while someone watches it, and begins with a group", async () => {
  const { feed, started, says } = published();
  expect(feed.isWatched("video0")).toBe(false);
  const watched = { type: "watched", track: "video0" } as const;
  await says({ ...watched, isWatched: true }, () => expect(feed.isWatched("video0")).toBe(true));
  expect(feed.isWatched("video1")).toBe(false);
  await says({ ...watched, isWatched: false }, () => expect(feed.isWatched("video0")).toBe(false));
  await says({ type: "starts", track: "audio" }, () => expect(started).toEqual(["video0", "audio"]));
});

test("the relay's side gets the sealed bytes themselves, and links go on with theirs; both are counted", async () => {
  const { feed, came } = published();
  const data = Uint8Array.of(1, 2, 3).buffer;
  feed.write("video0", { ...SEALED, data }, { startsGroup: true, at: milli(5) });
  feed.write("audio", { ...SEALED, data }, { startsGroup: false, at: milli(6) });
  await vi.waitFor(() => expect(came.length).toBe(2));
  expect(came.map(({ track, data, startsGroup }) => [track, [...data], startsGroup])).toEqual([
    ["video0", [1, 2, 3], true],
    ["audio", [1, 2, 3], false],
  ]);
  expect(came.map(({ timestampUs }) => timestampUs)).toEqual(
    [5, 6].map((at) => Math.round(1_000 * (performance.timeOrigin + at))),
  );
  expect(data.byteLength, "it is the links' still").toBe(3);
  expect(feed.stats.map((stats) => [stats.report().id, stats.report().frames])).toEqual([
    ["published-video", 1],
    ["published-audio", 1],
  ]);
});

test("once someone asked, it tells of each frame the time that goes with it, when it came to its encoder and its sealer, and when it left", () => {
  const load = new WorkerLoad();
  load.watch();
  const { feed } = published(load);
  feed.write(
    "video0",
    { ...SEALED, since: milli(8), encoding: milli(5), data: new ArrayBuffer(3) },
    { startsGroup: true, at: milli(5) },
  );
  const [video, audio] = feed.stats.map((stats) => stats.timings());
  const [time, captured, encoding = 0, came = 0, left] = video?.frames ?? [];
  expect([time, captured]).toEqual([Math.round(1_000 * (performance.timeOrigin + 5)), Number.NaN]);
  expect([encoding, came].map((at) => Math.round(at - performance.timeOrigin))).toEqual([5, 8]);
  expect(left).toBeGreaterThan(performance.timeOrigin);
  expect(video?.sample).toEqual({ clear: Uint8Array.of(9), wire: new Uint8Array(3), bytes: 3 });
  expect(audio?.frames.length).toBe(0);
});
