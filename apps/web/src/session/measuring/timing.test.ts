import type { TrackTimings, WorkerTimings } from "@sealcast/media";
import { Histogram } from "@sealcast/metrics";
import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, test, vi } from "vitest";
import { computerTime, sayTiming, type TimedLink, Timing, type TimingAnswer, type TimingMessage } from "./timing.ts";

let said: TimingMessage[];
let stats: object[];
let track: TrackTimings;
let timing: Timing;
let clock: ManualClock;
const timings = vi.fn(async (): Promise<WorkerTimings[]> => {
  return [{ tracks: [track], busy: 0, lived: 0, waits: new Histogram().snapshot() }];
});

beforeEach(() => {
  said = [];
  stats = [];
  track = { id: "t1", times: new Histogram().snapshot(), frames: new Float64Array(), sample: null };
  timings.mockClear();
  clock = new ManualClock();
  timing = new Timing({ timings }, clock);
});

function peer(): TimedLink {
  const tellTiming = (message: TimingMessage) => said.push(message);
  const counted = {
    get latest() {
      return { at: 0, entries: stats };
    },
  };
  const line = { source: "camera", kind: "video", transceiver: { mid: "1" }, sent: { id: "t1" }, received: null };
  return { name: "Ben", tellTiming, stats: counted, lines: [line] } as unknown as TimedLink;
}

const bytes = (message: unknown) => new TextEncoder().encode(JSON.stringify(message));
const ask = bytes({ type: "ask", asked: 5 });
const framesSaid = async () => {
  await vi.waitFor(() => expect(said.at(-1)).toMatchObject({ type: "frames" }));
  const last = said.at(-1);
  return last?.type === "frames" ? last.lines : expect.unreachable();
};

test("anyone who asks gets the clock at once, and after it the frames that left lately", async () => {
  const now = computerTime();
  track.frames = Float64Array.of(
    ...[1, NaN, NaN, now - 5_000, now - 4_999],
    ...[2, NaN, now - 20, now - 10, now - 9],
    ...[3, now - 8, NaN, now - 3, now - 2],
    ...[4, NaN, NaN, now - 3, now - 2],
  );
  timing.heard(peer(), ask);
  const [first] = said;
  const { asked, came, left } = first?.type === "clock" ? first : expect.unreachable();
  expect(asked).toBe(5);
  expect(came).toBeGreaterThanOrEqual(now);
  expect(left).toBeGreaterThanOrEqual(came);
  const [line] = await framesSaid();
  expect(line).toMatchObject({ source: "camera", encode: null, send: null });
  expect(line?.frames.map(([rtp, begun]) => [rtp, begun === null ? null : Math.round(now - begun)])).toEqual([
    [2, 20],
    [3, 8],
    [4, null],
  ]);
});

test("means are since the last answer, and an encoder of stand-ins is not the picture's", async () => {
  const asking = peer();
  const sender = { type: "outbound-rtp", mid: "1", frameWidth: 640, packetsSent: 10, totalPacketSendDelay: 0.1 };
  stats = [{ ...sender, framesEncoded: 10, totalEncodeTime: 0.05 }];
  timing.heard(asking, ask);
  expect(await framesSaid()).toMatchObject([{ encode: 5, send: 10 }]);
  said = [];
  stats = [
    {
      ...sender,
      frameWidth: 32,
      framesEncoded: 20,
      totalEncodeTime: 0.07,
      packetsSent: 20,
      totalPacketSendDelay: 0.12,
    },
  ];
  clock.advance(milli(400));
  timing.heard(asking, ask);
  expect(await framesSaid()).toMatchObject([{ encode: null, send: 2 }]);
});

test("who asks about frames gets the times of these alone, however old", async () => {
  const now = computerTime();
  track.frames = Float64Array.of(
    ...[1, NaN, NaN, now - 5_000, now - 4_999],
    ...[2, NaN, NaN, now - 4, now - 3],
    ...[3, NaN, NaN, now - 2, now - 1],
  );
  timing.heard({ ...peer(), asked: new Set([1, 3, 9]) }, ask);
  const [line] = await framesSaid();
  expect(line?.frames.map(([rtp]) => rtp)).toEqual([1, 3]);
  said = [];
  timings.mockClear();
  timing.heard({ ...peer(), asked: new Set() }, ask);
  expect([said.map(({ type }) => type), timings.mock.calls.length], "of none: the clock alone").toEqual([["clock"], 0]);
});

test("someone who asks too often gets the clock only", async () => {
  const asking = peer();
  for (let time = 0; time < 5; time++) timing.heard(asking, ask);
  await framesSaid();
  expect(said.map(({ type }) => type)).toEqual(["clock", "clock", "clock", "clock", "clock", "frames"]);
  expect(timings).toHaveBeenCalledTimes(1);
});

test("answers go to the dashboard that asked, and nobody hears them where none is open", () => {
  const answers: TimingAnswer[] = [];
  const clockSaid = { type: "clock", asked: 1, came: 2, left: 3 } as const;
  timing.heard(peer(), bytes(clockSaid));
  timing.answered = (_, answer) => answers.push(answer);
  timing.ask(peer());
  timing.heard(peer(), bytes(clockSaid));
  expect(answers).toEqual([clockSaid]);
  expect(said).toMatchObject([{ type: "ask" }]);
});

test("to a connection's other end goes what fits its channel", () => {
  const sent: Uint8Array[] = [];
  const link = { say: (_: string, body: Uint8Array) => sent.push(body) > 0 };
  sayTiming(link, { type: "ask", asked: 1 });
  const frames = Array.from({ length: 128 }, () => [...Array(4)].map(() => 1_790_000_000_000.123)) as never;
  const line = { source: "camera", encode: null, send: null, frames } as const;
  sayTiming(link, { type: "frames", lines: [line, line, line, line] });
  expect(sent.map((body) => new TextDecoder().decode(body))).toEqual(['{"type":"ask","asked":1}']);
});

test.each([
  ["no JSON", new TextEncoder().encode("{")],
  ["an unknown type", bytes({ type: "x" })],
  ["a time that is none", bytes({ type: "ask", asked: "now" })],
  ["a time before time began", bytes({ type: "ask", asked: -1 })],
  ["an unknown key", bytes({ type: "ask", asked: 1, x: 1 })],
  [
    "too many frames",
    bytes({
      type: "frames",
      lines: [{ source: "camera", encode: null, send: null, frames: Array(129).fill([1, null, 1, 1]) }],
    }),
  ],
  [
    "a frame with more to it",
    bytes({ type: "frames", lines: [{ source: "camera", encode: null, send: null, frames: [[1, null, 1, 1, 1]] }] }),
  ],
  ["a long one", new TextEncoder().encode(`{"type":"ask","asked":1${" ".repeat(17_000)}}`)],
])("%s is dropped", (_, body) => {
  timing.answered = () => expect.unreachable();
  timing.heard(peer(), body);
  expect(said).toEqual([]);
});
