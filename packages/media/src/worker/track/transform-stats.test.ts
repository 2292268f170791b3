import { ManualClock, milli } from "@sealcast/time";
import { expect, test, vi } from "vitest";
import { FRAME_TIMES } from "../../shared/timings.ts";
import type { EncodedFrame } from "./frame-writer.ts";
import { TransformStats } from "./transform-stats.ts";
import { WorkerLoad } from "./worker-load.ts";

const bytes = (fill: number) => new Uint8Array(100).fill(fill).buffer;
const leaving = { since: milli(5), isKey: true, mimeType: "video/vp8", clear: bytes(1), wire: bytes(2) };

function frame(metadata: object): { frame: EncodedFrame; getMetadata: ReturnType<typeof vi.fn> } {
  const getMetadata = vi.fn(() => metadata);
  return { frame: { getMetadata } as unknown as EncodedFrame, getMetadata };
}

test("as long as nobody asks, nothing is kept of single frames, and nothing of them is read", () => {
  const stats = new TransformStats("t1", new WorkerLoad());
  const { frame: one, getMetadata } = frame({ rtpTimestamp: 1 });
  stats.leaves(one, leaving);
  expect(getMetadata).not.toHaveBeenCalled();
  expect(stats.timings()).toMatchObject({ frames: new Float64Array(), sample: null });
});

test("once someone asked: frames' times on the computer's clock, and how the last one began", () => {
  const clock = new ManualClock();
  clock.advance(milli(9));
  const load = new WorkerLoad(clock);
  load.watch();
  const stats = new TransformStats("t1", load, clock);
  stats.leaves(frame({ rtpTimestamp: 1, captureTime: 3 }).frame, leaving);
  stats.leaves(frame({ rtpTimestamp: 2, receiveTime: 4 }).frame, { ...leaving, encoding: milli(2) });
  stats.leaves(frame({}).frame, leaving);
  const { frames, sample } = stats.timings();
  const origin = performance.timeOrigin;
  expect([...frames]).toEqual([
    ...[1, origin + 3, Number.NaN, origin + 5, origin + 9],
    ...[2, origin + 4, origin + 2, origin + 5, origin + 9],
  ]);
  expect(sample).toEqual({ clear: new Uint8Array(48).fill(1), wire: new Uint8Array(48).fill(2), bytes: 100 });
});

test("of many frames the last ones are kept, in order", () => {
  const load = new WorkerLoad();
  load.watch();
  const stats = new TransformStats("t1", load);
  for (let rtpTimestamp = 0; rtpTimestamp < 200; rtpTimestamp++) stats.leaves(frame({ rtpTimestamp }).frame, leaving);
  const { frames } = stats.timings();
  const stamps = Array.from({ length: frames.length / FRAME_TIMES }, (_, row) => frames[row * FRAME_TIMES]);
  expect(stamps).toEqual(Array.from({ length: 128 }, (_, row) => 72 + row));
});

test("of the last frames it says how many lengths they had", () => {
  const stats = new TransformStats("t1");
  const pass = (bytes: number) =>
    stats.passed(milli(0), { epoch: 1, mimeType: "audio/opus", bytes, overhead: 20, readable: false });
  expect(stats.report().lengths).toBe(0);
  for (let at = 0; at < 25; at++) pass(100 + (at % 7));
  expect(stats.report().lengths).toBe(7);
  for (let at = 0; at < 25; at++) pass(100);
  expect(stats.report().lengths).toBe(1);
});

test("an eavesdropper gets a copy of each frame as it is on the way, until they go", async () => {
  const stats = new TransformStats("t1");
  const { port1, port2 } = new MessageChannel();
  const heard: unknown[] = [];
  port2.onmessage = ({ data }) => heard.push(data);
  stats.eavesdrop({ port: port1, tag: 16 });
  stats.leaves(frame({}).frame, leaving);
  stats.leaves(frame({}).frame, { ...leaving, isKey: false });
  await vi.waitFor(() => expect(heard).toHaveLength(2));
  expect(heard[0]).toEqual({ data: bytes(2), isKey: true, mimeType: "video/vp8", tag: 16 });
  expect(leaving.wire.byteLength).toBe(100);
  stats.eavesdrop(null);
  stats.leaves(frame({}).frame, leaving);
  port2.close();
});
