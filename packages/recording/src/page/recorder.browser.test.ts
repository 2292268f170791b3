import { concat } from "@sealcast/bytes";
import { BufferSource, Input, MP4, VideoSampleSink } from "mediabunny";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { indexOf } from "../shared/fragments.ts";
import type { FromRecorder, ToRecorder } from "../shared/messages.ts";
import { MemorySource } from "../shared/recorded.cases.ts";
import { pixel, seek } from "./player.cases.ts";
import { Player } from "./player.ts";
import { Recorder, type RecorderStatus, type Sink, type Voice } from "./recorder.ts";

const spawn = () => new Worker(new URL("../worker/recorder.worker.ts", import.meta.url), { type: "module" });
const SMALL = { width: 320, height: 180, framesPerSecond: 15 };

/** Browsers let sound begin only where someone has clicked. */
beforeAll(() => userEvent.click(document.body));

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

class MemorySink implements Sink {
  readonly parts: Uint8Array[] = [];

  async append(bytes: Uint8Array): Promise<void> {
    this.parts.push(bytes);
  }

  get bytes(): Uint8Array {
    return concat(...this.parts);
  }
}

/** Someone whose camera shows a colour, and whose microphone gives a tone, from now on. */
async function someone(name: string, colour: () => string, hertz: number): Promise<Voice> {
  const canvas = document.createElement("canvas");
  canvas.width = 160;
  canvas.height = 90;
  const context = canvas.getContext("2d")!;
  const draw = () => {
    context.fillStyle = colour();
    context.fillRect(0, 0, 160, 90);
  };
  draw();
  const timer = setInterval(draw, 50);
  const sound = new AudioContext();
  const tone = new OscillatorNode(sound, { frequency: hertz });
  const quiet = new GainNode(sound, { gain: 0.3 });
  const out = new MediaStreamAudioDestinationNode(sound);
  tone.connect(quiet).connect(out);
  tone.start();
  const [video] = canvas.captureStream(20).getVideoTracks();
  closing.push(() => {
    clearInterval(timer);
    video?.stop();
    void sound.close();
  });
  await vi.waitFor(() => expect(sound.currentTime).toBeGreaterThan(0));
  return { id: name, name, video: video!, audio: out.stream.getAudioTracks()[0]! };
}

/** How strong a tone is at most in a file's sound, in tenths of a second between two of its seconds: a busy computer leaves gaps. */
async function toneIn(bytes: Uint8Array, [from, to]: readonly [number, number], hertz: number): Promise<number> {
  const context = new OfflineAudioContext(1, 48_000, 48_000);
  const decoded = await context.decodeAudioData(bytes.slice().buffer as ArrayBuffer);
  const strengths = [];
  for (let at = from; at + 0.1 <= to; at += 0.1)
    strengths.push(strengthOf(decoded.getChannelData(0).subarray(at * 48_000, (at + 0.1) * 48_000), hertz));
  return Math.max(...strengths);
}

function strengthOf(samples: Float32Array, hertz: number): number {
  let [re, im] = [0, 0];
  samples.forEach((sample, n) => {
    re += sample * Math.cos((2 * Math.PI * hertz * n) / 48_000);
    im += sample * Math.sin((2 * Math.PI * hertz * n) / 48_000);
  });
  return (2 * Math.hypot(re, im)) / samples.length;
}

type Colour = readonly [number, number, number];

/** Every frame of a recording: when it is shown, and its colour at some places. */
async function framesOf(bytes: Uint8Array, places: readonly (readonly [number, number])[]) {
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4] });
  const track = await input.getPrimaryVideoTrack();
  const frames: { seconds: number; colours: Colour[] }[] = [];
  for await (const sample of new VideoSampleSink(track!).samples()) {
    const { width, height } = { width: sample.displayWidth, height: sample.displayHeight };
    const context = new OffscreenCanvas(width, height).getContext("2d")!;
    sample.draw(context, 0, 0);
    const colours = places.map(([x, y]): Colour => {
      const { data } = context.getImageData(Math.floor(x * width), Math.floor(y * height), 1, 1);
      return [data[0]!, data[1]!, data[2]!];
    });
    frames.push({ seconds: sample.timestamp, colours });
    sample.close();
  }
  return frames;
}

const isRed = ([r, g, b]: Colour) => r > 150 && g < 100 && b < 100;
const isGreen = ([r, g, b]: Colour) => g > 100 && r < 100 && b < 100;
const isBlue = ([r, g, b]: Colour) => b > 150 && r < 100 && g < 100;

interface Made {
  recorder: Recorder;
  sink: MemorySink;
  statuses: RecorderStatus[];
  /** When each came. */
  times: number[];
  seconds(): number;
}

async function recording(
  voices: Voice[],
  options: Partial<typeof SMALL> = SMALL,
  sink = new MemorySink(),
): Promise<Made> {
  const statuses: RecorderStatus[] = [];
  const times: number[] = [];
  const onStatus = (status: RecorderStatus) => {
    statuses.push(status);
    times.push(performance.now());
  };
  const recorder = new Recorder(spawn, sink, onStatus, options);
  closing.push(() => void recorder.stop());
  recorder.show(voices);
  await recorder.start();
  return { recorder, sink, statuses, times, seconds: () => statuses.at(-1)?.seconds ?? 0 };
}

const until = (made: Made, seconds: number) =>
  vi.waitFor(() => expect(made.seconds()).toBeGreaterThanOrEqual(seconds), { timeout: 20_000 });

it("is supported here", async () => {
  expect(await Recorder.isSupported()).toBe(true);
});

it("records two people and their sound, and plays them by its own index", async () => {
  let colour = "rgb(255 0 0)";
  const voices = [await someone("Ann", () => colour, 440), await someone("Ben", () => "rgb(200 200 200)", 1_000)];
  const made = await recording(voices);
  for (const next of ["rgb(255 0 0)", "rgb(0 160 0)", "rgb(0 0 255)"]) {
    colour = next;
    await until(made, made.seconds() + 1.4);
  }
  const { seconds, mimeType, thumbnail } = await made.recorder.stop();
  const { bytes } = made.sink;
  const index = await indexOf(new MemorySource(bytes));
  expect(index.mimeType).toBe(mimeType);
  // Sound may last a little longer.
  expect(Math.abs(index.seconds - seconds)).toBeLessThan(0.1);
  expect(index.isComplete).toBe(true);
  // A crash takes less than two seconds with it. How long the last picture stands is this computer's matter.
  const frames = await framesOf(bytes, [[0.25, 0.5]]);
  for (const { startSeconds, seconds } of index.fragments) {
    const pictures = frames.filter((frame) => frame.seconds < startSeconds + seconds - 0.001);
    expect(pictures.at(-1)!.seconds - startSeconds).toBeLessThan(2);
  }
  expect([...thumbnail!.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  expect(thumbnail!.length).toBeLessThan(32_768);
  await vi.waitFor(() => expect(made.statuses.at(-1)).toMatchObject({ state: "stopped", bytes: bytes.length }));
  for (const [n] of made.sink.parts.entries()) {
    if (n === 0) continue;
    const crashed = await indexOf(new MemorySource(concat(...made.sink.parts.slice(0, n + 1))));
    // How long the last one lasts shows in the next one only, where the machine stood still at its end.
    const [last, ...before] = crashed.fragments.toReversed();
    const { seconds: whole, ...place } = index.fragments[n - 1]!;
    expect(before.toReversed()).toEqual(index.fragments.slice(0, n - 1));
    expect(last).toMatchObject(place);
    expect(last!.seconds).toBeLessThanOrEqual(whole + 0.001);
  }
  for (const [n, time] of made.times.slice(1).entries()) expect(time - made.times[n]!).toBeGreaterThan(490);
  for (const hertz of [440, 1_000]) expect(await toneIn(bytes, [0.5, 3], hertz)).toBeGreaterThan(0.03);

  const video = document.createElement("video");
  video.muted = true;
  document.body.append(video);
  const onError = vi.fn();
  const player = new Player(video, new MemorySource(bytes), index, onError);
  closing.push(
    () => player.close(),
    () => video.remove(),
  );
  // Each colour for as long as the recorder says that a good second of it is recorded.
  const runOf = (is: (colour: Colour) => boolean) => {
    const shows = frames.map(({ colours }) => is(colours[0]!));
    const end = shows.indexOf(false, shows.indexOf(true));
    return { first: shows.indexOf(true), end: end < 0 ? frames.length : end };
  };
  const firsts = [isRed, isGreen, isBlue].map((is) => runOf(is).first);
  expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
  for (const is of [isBlue, isRed, isGreen]) {
    const { first, end } = runOf(is);
    const at = frames[(first + end) >> 1]!.seconds + 0.01;
    await seek(video, at);
    const shown = pixel(video, 0.25, 0.5);
    expect([at, shown, is(shown)]).toEqual([at, shown, true]);
    expect(pixel(video, 0.75, 0.5)[0]).toBeGreaterThan(150);
  }
  expect(onError).not.toHaveBeenCalled();
});

it("has nobody's picture or sound any more from when they left the list on", async () => {
  const ann = await someone("Ann", () => "rgb(0 160 0)", 440);
  const ben = await someone("Ben", () => "rgb(255 0 0)", 1_000);
  const made = await recording([ann, ben]);
  await until(made, 1.5);
  made.recorder.show([ann]);
  await until(made, made.seconds() + 2);
  const { seconds: end } = await made.recorder.stop();
  const places = [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((x) => [0.3, 0.5, 0.7].map((y) => [x, y] as const));
  const frames = await framesOf(made.sink.bytes, places);
  const withBen = frames.filter(({ colours }) => colours.some(isRed));
  const last = withBen.at(-1)!.seconds;
  expect(last).toBeLessThan(end - 0.6);
  expect(withBen).toEqual(frames.filter(({ seconds }) => seconds <= last && seconds >= withBen[0]!.seconds));
  expect(await toneIn(made.sink.bytes, [0, last], 1_000)).toBeGreaterThan(0.03);
  expect(await toneIn(made.sink.bytes, [end - 0.6, end - 0.1], 1_000)).toBeLessThan(0.005);
  // On a busy computer the last half second may come too late for the file.
  expect(await toneIn(made.sink.bytes, [last + 0.3, end], 440)).toBeGreaterThan(0.03);
});

it("goes on drawing while the page can run nothing at all", async () => {
  const made = await recording([{ id: "a", name: "Ann", video: null, audio: null }]);
  await until(made, 1);
  const from = made.seconds();
  const blockedUntil = performance.now() + 4_000;
  while (performance.now() < blockedUntil);
  await until(made, from + 4);
  await made.recorder.stop();
  const frames = await framesOf(made.sink.bytes, []);
  const meanwhile = frames.filter(({ seconds }) => seconds > from + 0.5 && seconds < from + 3.5);
  expect(meanwhile.length).toBeGreaterThan(0);
});

it("leaves pauses out of time, and what happens in them out of the file", async () => {
  let colour = "rgb(0 160 0)";
  let drawn = 0;
  const drawIn = async (next: string, times: number) => {
    colour = next;
    drawn = 0;
    await vi.waitFor(() => expect(drawn).toBeGreaterThan(times), { timeout: 10_000 });
  };
  const ann = await someone(
    "Ann",
    () => {
      drawn++;
      return colour;
    },
    440,
  );
  const began = performance.now();
  const made = await recording([ann]);
  await until(made, 1);
  made.recorder.pause();
  const pausedAt = performance.now();
  await vi.waitFor(() => expect(made.statuses.at(-1)?.state).toBe("paused"));
  await drawIn("rgb(255 0 0)", 30);
  await drawIn("rgb(0 160 0)", 10);
  const before = made.seconds();
  const paused = performance.now() - pausedAt;
  made.recorder.resume();
  await until(made, before + 1);
  const { seconds } = await made.recorder.stop();
  const took = performance.now() - began;
  const frames = await framesOf(made.sink.bytes, [[0.5, 0.5]]);
  expect(frames.filter(({ colours }) => isRed(colours[0]!))).toEqual([]);
  const gaps = frames.slice(1).map((frame, n) => frame.seconds - frames[n]!.seconds);
  expect(Math.max(...gaps) * 1_000).toBeLessThan(paused);
  expect(seconds * 1_000).toBeLessThan(took - paused);
  expect(Math.abs((await indexOf(new MemorySource(made.sink.bytes))).seconds - seconds)).toBeLessThan(0.1);
});

it("stops and says so when the storage is full, and what was kept plays", async () => {
  class FullSink extends MemorySink {
    override async append(bytes: Uint8Array): Promise<void> {
      if (this.parts.length === 3) throw Object.assign(new Error("full"), { name: "StorageFullError" });
      await super.append(bytes);
    }
  }
  const made = await recording([await someone("Ann", () => "rgb(0 160 0)", 440)], SMALL, new FullSink());
  await vi.waitFor(() => expect(made.statuses.at(-1)?.state).toBe("failed"), { timeout: 20_000 });
  expect(made.statuses.at(-1)).toMatchObject({ why: "storage-full", bytes: made.sink.bytes.length });
  const { seconds, mimeType } = await made.recorder.stop();
  const index = await indexOf(new MemorySource(made.sink.bytes));
  expect(index.fragments.length).toBe(2);
  expect(index.mimeType).toBe(mimeType);
  expect(Math.abs(index.seconds - seconds)).toBeLessThan(2);
  expect(made.statuses.at(-1)?.state).toBe("failed");
});

it.each([
  ["StorageFullError", "storage-full"],
  ["InvalidStateError", "storage"],
])("appends nothing after what the sink refused with %s, and has the worker stop", async (name, why) => {
  const said: ToRecorder[] = [];
  const worker = Object.assign(new EventTarget(), {
    postMessage: (message: ToRecorder) => void said.push(message),
    terminate: () => undefined,
  });
  const append = vi.fn<Sink["append"]>().mockResolvedValueOnce().mockRejectedValueOnce(new DOMException("no", name));
  const statuses: RecorderStatus[] = [];
  const onStatus = (status: RecorderStatus) => void statuses.push(status);
  const recorder = new Recorder(() => worker as unknown as Worker, { append }, onStatus);
  const hear = (data: FromRecorder) => worker.dispatchEvent(new MessageEvent("message", { data }));
  for (const seconds of [1, 2, 3]) hear({ type: "append", bytes: new Uint8Array(10), seconds });
  await vi.waitFor(() => expect(said.at(-1)).toEqual({ type: "abandon" }));
  hear({ type: "ended", mimeType: "video/mp4", thumbnail: null });
  expect((await recorder.stop()).seconds).toBe(1);
  expect(append).toHaveBeenCalledTimes(2);
  expect(said.filter(({ type }) => type === "appended")).toEqual([{ type: "appended", bytes: 10 }]);
  await vi.waitFor(() => expect(statuses.at(-1)).toMatchObject({ state: "failed", why, bytes: 10 }));
});

it("keeps all that was appended when its worker ends in the middle", async () => {
  let worker: Worker | undefined;
  const sink = new MemorySink();
  const statuses: RecorderStatus[] = [];
  const recorder = new Recorder(
    () => {
      worker = spawn();
      return worker;
    },
    sink,
    (status) => statuses.push(status),
    SMALL,
  );
  recorder.show([{ id: "a", name: "Ann", video: null, audio: null }]);
  await recorder.start();
  await vi.waitFor(() => expect(sink.parts.length).toBe(3), { timeout: 20_000 });
  worker!.dispatchEvent(new ErrorEvent("error"));
  await vi.waitFor(() => expect(statuses.at(-1)).toMatchObject({ state: "failed", why: "worker" }));
  expect((await indexOf(new MemorySource(sink.bytes))).fragments.length).toBe(2);
  expect((await recorder.stop()).seconds).toBeGreaterThan(1.5);
});

it("shows whose camera and microphone have ended as someone without", async () => {
  const ann = await someone("Ann", () => "rgb(255 0 0)", 440);
  ann.video!.stop();
  ann.audio!.stop();
  const made = await recording([ann]);
  await until(made, 1);
  await made.recorder.stop();
  const frames = await framesOf(made.sink.bytes, [[0.5, 0.3]]);
  expect(frames.length).toBeGreaterThan(3);
  expect(frames.filter(({ colours }) => isRed(colours[0]!))).toEqual([]);
});

it("rejects the start where the browser cannot encode such a video", async () => {
  await expect(recording([], { ...SMALL, width: 60_000 })).rejects.toThrow("encoder");
});
