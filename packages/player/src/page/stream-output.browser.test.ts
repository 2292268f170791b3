import { milli } from "@sealcast/time";
import { afterEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import type { PlayerEvent, PlayerFrame } from "../shared/messages.ts";
import { StreamPlayer } from "../worker/stream-player.ts";
import { StreamOutput } from "./stream-output.ts";

declare class MediaStreamTrackProcessor<T> {
  constructor(init: { track: MediaStreamTrack; maxBufferSize?: number });
  readonly readable: ReadableStream<T>;
}

const SLOW = { timeout: 15_000, interval: 50 };
const SIZE = { width: 160, height: 90 };
const FPS = 25;
const SECONDS = 8;
const RATE = 48_000;
const CONFIG = {
  video: { codec: "vp8", ...SIZE },
  audio: { codec: "opus", sampleRate: RATE, channels: 1 },
} as const;
/** In the middle of each second the picture is white for a fifth of it, and a tone begins. */
const isFlash = (seconds: number) => seconds % 1 >= 0.5 && seconds % 1 < 0.7;

type Encoded = Omit<PlayerFrame, "receivedAtMs">;

const bytesOf = (chunk: EncodedVideoChunk | EncodedAudioChunk) => {
  const data = new Uint8Array(chunk.byteLength);
  chunk.copyTo(data);
  return data;
};

async function film(): Promise<Encoded[]> {
  const frames: Encoded[] = [];
  const output = (chunk: EncodedVideoChunk) => {
    const number = Math.round((chunk.timestamp * FPS) / 1e6);
    const [group, index] = [Math.floor(number / FPS), number % FPS];
    frames.push({ track: "video", group, index, timestampUs: chunk.timestamp, data: bytesOf(chunk) });
  };
  const encoder = new VideoEncoder({ output, error: (error) => expect.unreachable(error.message) });
  encoder.configure({ codec: "vp8", ...SIZE, bitrate: 300_000, framerate: FPS, latencyMode: "realtime" });
  const canvas = new OffscreenCanvas(SIZE.width, SIZE.height);
  const context = canvas.getContext("2d")!;
  for (let number = 0; number < FPS * SECONDS; number++) {
    context.fillStyle = isFlash(number / FPS) ? "white" : "black";
    context.fillRect(0, 0, SIZE.width, SIZE.height);
    const frame = new VideoFrame(canvas, { timestamp: (1e6 * number) / FPS });
    encoder.encode(frame, { keyFrame: number % FPS === 0 });
    frame.close();
  }
  await encoder.flush();
  return frames;
}

async function tone(): Promise<Encoded[]> {
  const packets: Encoded[] = [];
  const output = (chunk: EncodedAudioChunk) => {
    const index = packets.length;
    packets.push({ track: "audio", group: 0, index, timestampUs: chunk.timestamp, data: bytesOf(chunk) });
  };
  const encoder = new AudioEncoder({ output, error: (error) => expect.unreachable(error.message) });
  encoder.configure({ codec: "opus", sampleRate: RATE, numberOfChannels: 1, bitrate: 64_000 });
  const numberOfFrames = RATE / 50;
  for (let packet = 0; packet < 50 * SECONDS; packet++) {
    const data = Float32Array.from({ length: numberOfFrames }, (_, i) => {
      const at = (packet * numberOfFrames + i) / RATE;
      return isFlash(at) ? 0.8 * Math.sin(2 * Math.PI * 1_000 * at) : 0;
    });
    const timestamp = (1e6 * packet) / 50;
    const piece = {
      format: "f32-planar",
      sampleRate: RATE,
      numberOfFrames,
      numberOfChannels: 1,
      timestamp,
      data,
    } as const;
    encoder.encode(new AudioData(piece));
  }
  await encoder.flush();
  return packets;
}

/** What is heard, as a track. */
function tapped(): () => MediaStreamTrack {
  let track: MediaStreamTrack | null = null;
  vi.spyOn(AudioContext.prototype, "destination", "get").mockImplementation(function (this: AudioContext) {
    const node = new MediaStreamAudioDestinationNode(this);
    track = node.stream.getAudioTracks()[0]!;
    return node as unknown as AudioDestinationNode;
  });
  return () => track!;
}

async function each<T extends { close(): void }>(track: MediaStreamTrack, seen: (one: T) => void): Promise<void> {
  const reader = new MediaStreamTrackProcessor<T>({ track, maxBufferSize: 500 }).readable.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    seen(next.value);
    next.value.close();
  }
}

function brightnessOf(picture: VideoFrame, context: OffscreenCanvasRenderingContext2D): number {
  context.drawImage(picture, 0, 0, 1, 1);
  return context.getImageData(0, 0, 1, 1).data[0]!;
}

function loudnessOf(sound: AudioData): number {
  const samples = new Float32Array(sound.numberOfFrames);
  sound.copyTo(samples, { planeIndex: 0, format: "f32-planar" });
  return Math.max(...samples.map(Math.abs));
}

/** Longer than a flash or a tone: what comes again within it is the same one, of which a busy machine left out a piece. */
const ONE_MS = 400;

/** Times at which something begins, told how much of it there is at which time. */
function beginnings(threshold: number) {
  const times: number[] = [];
  const look = (value: number, at = performance.now()) => {
    if (value > threshold && at - (times.at(-1) ?? Number.NEGATIVE_INFINITY) > ONE_MS) times.push(at);
  };
  return { times, look };
}

const undo: (() => void)[] = [];
afterEach(() => {
  for (const each of undo.splice(0)) each();
  vi.restoreAllMocks();
});

async function playing() {
  const heard = tapped();
  const output = await StreamOutput.open();
  // Where nobody clicked, browsers play no sound.
  await userEvent.click(document.body);
  void output.unmute();
  await vi.waitFor(() => expect(output.isAudible).toBe(true), SLOW);
  const events: PlayerEvent[] = [];
  // Of what comes late, where this computer is busy with other tests, nothing is left out.
  const player = StreamPlayer.open(output.outputs, "smoothest", (event) => events.push(event));
  player.configure(CONFIG);
  undo.push(
    () => player.close(),
    () => output.close(),
  );
  const pictures: { us: number; at: number }[] = [];
  const [flashes, tones] = [beginnings(128), beginnings(0.2)];
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
  const { srcObject } = output.element as HTMLVideoElement;
  void each<VideoFrame>((srcObject as MediaStream).getVideoTracks()[0]!, (picture) => {
    pictures.push({ us: picture.timestamp, at: performance.now() });
    flashes.look(brightnessOf(picture, context));
  });
  void each<AudioData>(heard(), (sound) => tones.look(loudnessOf(sound)));
  return { player, output, events, pictures, flashes: flashes.times, tones: tones.times };
}

/** Gives each frame at its time, as a sender would. */
async function streamed(player: StreamPlayer, frames: readonly Encoded[]): Promise<void> {
  const start = performance.now();
  for (const frame of frames.toSorted((a, b) => a.timestampUs - b.timestampUs)) {
    const wait = start + frame.timestampUs / 1_000 - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    player.push({ ...frame, receivedAtMs: milli(performance.now()) });
  }
}

test("a film and its sound are played in order and together", async () => {
  const { player, events, pictures, flashes, tones } = await playing();
  await streamed(player, [...(await film()), ...(await tone())]);
  // A busy machine may leave out a whole one.
  await vi.waitFor(() => expect(Math.min(flashes.length, tones.length)).toBeGreaterThanOrEqual(SECONDS - 2), SLOW);
  const times = pictures.map(({ us }) => us);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(times).size).toBe(times.length);
  const apart = flashes.map((at) => Math.min(...tones.map((tone) => Math.abs(at - tone)))).toSorted((a, b) => a - b);
  expect(apart[SECONDS >> 1], `${apart.map(Math.round)}`).toBeLessThan(60);
  expect(events).toEqual([{ type: "first-picture" }]);
  expect(player.figures().dropped.undecodable).toBeUndefined();
});

test("what is no video costs its group, and playing goes on", async () => {
  const { player, events, pictures } = await playing();
  const broken = (await film()).map((frame) =>
    frame.group === 1 && frame.index > 4 ? { ...frame, data: new Uint8Array(30).fill(0xff) } : frame,
  );
  await streamed(
    player,
    broken.filter(({ group }) => group < 4),
  );
  await vi.waitFor(() => expect(pictures.at(-1)?.us).toBeGreaterThan(3.5e6), SLOW);
  expect(events).toContainEqual({ type: "undecodable", track: "video" });
});

test("a codec that no browser has is said, and nothing throws", async () => {
  const { player, events } = await playing();
  const [key] = await film();
  for (const codec of ["nothing", "vp09.99.99.99", ""]) {
    events.length = 0;
    player.configure({ video: { codec, ...SIZE }, audio: null });
    player.push({ ...key!, receivedAtMs: milli(performance.now()) });
    await vi.waitFor(() => expect(events).toEqual([{ type: "unsupported", track: "video" }]), SLOW);
  }
});
