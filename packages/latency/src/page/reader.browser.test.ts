import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Sighting, sight } from "../shared/sighting.ts";
import { since } from "../shared/stamp.ts";
import { stampCameras, stamped } from "./camera.ts";
import { readVideo, WorkerReader } from "./reader.ts";

const WITHIN = { timeout: 20_000 };

/** Chromium's own on a page: not in the platform's types. */
declare class MediaStreamTrackProcessor {
  constructor(of: { track: MediaStreamTrack; maxBufferSize: number });
  readonly readable: ReadableStream<VideoFrame>;
}

let camera: MediaStreamTrack;
let drawing: ReturnType<typeof setInterval>;
let worker: Worker;
let video: HTMLVideoElement;
let sightings: Sighting[];

const seen = (sighting: Sighting) => void sightings.push(sighting);
const read = () => sightings.flatMap(({ stamp, presented }) => (stamp ? [{ stamp, presented }] : []));

beforeEach(() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 180 });
  const context = canvas.getContext("2d");
  let hue = 0;
  drawing = setInterval(() => {
    if (context === null) return;
    context.fillStyle = `hsl(${hue++} 50% 50%)`;
    context.fillRect(0, 0, 320, 180);
  }, 33);
  const [track] = canvas.captureStream().getTracks();
  if (track === undefined) throw new Error("a canvas has a picture");
  camera = track;
  worker = new Worker(new URL("../worker/reader.worker.ts", import.meta.url), { type: "module" });
  video = Object.assign(document.createElement("video"), { muted: true, autoplay: true });
  document.body.append(video);
  sightings = [];
});

afterEach(() => {
  clearInterval(drawing);
  camera.stop();
  video.remove();
  worker.terminate();
});

function never(): never {
  throw new Error("the camera gives pictures");
}

/** Stamps of different pictures, each of this time. This page is in a frame, so that no more can be said: see `readVideo`. */
async function expectLatencies(): Promise<void> {
  const different = () => new Set(read().map(({ stamp }) => stamp.time)).size;
  await vi.waitFor(() => expect(different()).toBeGreaterThan(10), WITHIN);
  for (const { stamp, presented } of read()) expect(Math.abs(since(stamp, presented))).toBeLessThan(WITHIN.timeout);
}

it("reads what a video shows", async () => {
  video.srcObject = new MediaStream([stamped(camera)]);
  const stop = readVideo(video, seen);
  await expectLatencies();
  stop();
});

it("reads what a video shows, in a worker", async () => {
  video.srcObject = new MediaStream([stamped(camera)]);
  const stop = new WorkerReader(worker, seen).video(video);
  await expectLatencies();
  stop();
});

it("reads a track's pictures, in a worker", async () => {
  new WorkerReader(worker, seen).track(stamped(camera));
  await expectLatencies();
});

it("a picture keeps its stamp while those behind it get theirs", async () => {
  const pictures = new MediaStreamTrackProcessor({ track: stamped(camera), maxBufferSize: 1 }).readable.getReader();
  const frames: VideoFrame[] = [];
  while (frames.length < 5) frames.push((await pictures.read()).value ?? never());
  await pictures.cancel();
  const stamps = await Promise.all(frames.map((frame) => sight(frame, 0).then(({ stamp }) => stamp?.time ?? 0)));
  expect(stamps).not.toContain(0);
  expect(new Set(stamps).size).toBe(5);
  expect(stamps).toEqual(stamps.toSorted((a, b) => a - b));
});

it("reads nothing where there is no stamp, and says so", async () => {
  video.srcObject = new MediaStream([camera]);
  const stop = readVideo(video, seen);
  await vi.waitFor(() => expect(sightings.length).toBeGreaterThan(10), WITHIN);
  stop();
  expect(read()).toEqual([]);
});

it("leaves out a picture whose place another has taken before its callback ran", async () => {
  video.srcObject = new MediaStream([stamped(camera)]);
  const original = video.requestVideoFrameCallback.bind(video);
  let late = 0;
  /** Every callback comes when the next picture is there, with the times of its own. */
  video.requestVideoFrameCallback = (callback) =>
    original((now, times) => {
      original(() => {
        late++;
        callback(now, times);
      });
    });
  const stop = readVideo(video, seen);
  await vi.waitFor(() => expect(late).toBeGreaterThan(10), WITHIN);
  stop();
  expect(sightings).toEqual([]);
});

it("stops where it is told to", async () => {
  video.srcObject = new MediaStream([stamped(camera)]);
  readVideo(video, seen)();
  const others: Sighting[] = [];
  const stop = readVideo(video, (sighting) => others.push(sighting));
  await vi.waitFor(() => expect(others.length).toBeGreaterThan(5), WITHIN);
  stop();
  expect(sightings).toEqual([]);
});

it("a camera that the page opens is stamped, and stops with its track", async () => {
  const { mediaDevices } = navigator;
  const asked = vi.spyOn(mediaDevices, "getUserMedia").mockResolvedValue(new MediaStream([camera]));
  stampCameras();
  const stream = await mediaDevices.getUserMedia({ video: true });
  expect(asked).toHaveBeenCalledWith({ video: true });
  const [track] = stream.getVideoTracks();
  expect(track?.getSettings()).toEqual(camera.getSettings());
  video.srcObject = stream;
  const stop = readVideo(video, seen);
  await expectLatencies();
  stop();
  track?.stop();
  await vi.waitFor(() => expect(camera.readyState).toBe("ended"), WITHIN);
  asked.mockRestore();
});
