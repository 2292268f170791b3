import { ManualClock, milli } from "@sealcast/time";
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { UnreadableRecording } from "../shared/boxes.ts";
import { type FragmentIndex, indexOf } from "../shared/fragments.ts";
import { MemorySource } from "../shared/recorded.cases.ts";
import { secondShown, secondsRecording, seek } from "./player.cases.ts";
import { Player } from "./player.ts";

const SECONDS = 40;
/** Of what is played as fast as it would be for a person. */
const PLAYING = { timeout: 10_000 };

let bytes: Uint8Array;
let whole: FragmentIndex;
let video: HTMLVideoElement;
let player: Player;
let source: MemorySource;
const onError = vi.fn<(error: Error) => void>();

beforeAll(async () => {
  bytes = await secondsRecording(SECONDS);
  whole = await indexOf(new MemorySource(bytes));
});

beforeEach(() => {
  source = new MemorySource(bytes);
  video = document.createElement("video");
  video.muted = true;
  document.body.append(video);
  onError.mockReset();
});

afterEach(() => {
  player.close();
  video.remove();
});

/** The file with a place in its list that is 8 bytes too far, for all tracks: entries are 28 bytes, a time and a place first. */
function withWrongPlace(number: number): Uint8Array {
  const changed = bytes.slice();
  const text = new TextDecoder("latin1").decode(changed);
  for (const list of [text.indexOf("tfra"), text.lastIndexOf("tfra")]) {
    const view = new DataView(changed.buffer, list + 28 + 28 * number);
    view.setBigUint64(0, view.getBigUint64(0) + 8n);
  }
  return changed;
}

const once = (event: string) => new Promise((done) => video.addEventListener(event, done, { once: true }));
const upTo = (fragments: number) => {
  const last = whole.fragments[fragments - 1]!;
  return bytes.subarray(0, last.at + last.length);
};
const numbersRead = () =>
  source.reads.map(({ at }) => whole.fragments.findIndex((fragment) => fragment.at === at)).filter((n) => n >= 0);
const bufferedSeconds = () =>
  Array.from({ length: video.buffered.length }, (_, n) => video.buffered.end(n) - video.buffered.start(n)).reduce(
    (sum, each) => sum + each,
    0,
  );

it("knows the duration at once, and has read no more than what is played next", async () => {
  player = new Player(video, source, whole, onError);
  await once("loadedmetadata");
  expect(video.duration).toBeCloseTo(SECONDS, 1);
  await vi.waitFor(() => expect(numbersRead()).toEqual(Array.from({ length: 11 }, (_, n) => n)));
});

it("shows the frame of the time that is sought, forwards and back, and lets go of the others", async () => {
  player = new Player(video, source, whole, onError);
  await once("loadeddata");
  for (const at of [32.5, 7.5, 39.5, 0.5, 24.05]) {
    source.reads = [];
    await seek(video, at);
    expect([at, secondShown(video)]).toEqual([at, Math.floor(at) % 10]);
    expect(numbersRead()[0]).toBe(Math.floor(at));
    await vi.waitFor(() => expect(numbersRead().length).toBe(Math.min(11, whole.fragments.length - Math.floor(at))));
    expect(bufferedSeconds()).toBeLessThan(20);
  }
  expect(onError).not.toHaveBeenCalled();
});

it.each([
  [12.2, [12]],
  [12.8, [12, 13]],
])("reads ahead of a seek to %s s once the browser has found it, and slowly until then", async (at, sought) => {
  const clock = new ManualClock();
  player = new Player(video, source, whole, onError, clock);
  await vi.waitFor(() => expect(numbersRead().length).toBe(11));
  source.reads = [];
  Object.defineProperty(video, "seeking", { value: true, configurable: true });
  await seek(video, at);
  await vi.waitFor(() => expect(numbersRead()).toEqual(sought));
  await vi.waitFor(() => {
    clock.advance(milli(100));
    expect(numbersRead()).toEqual([...sought, sought.length + 12]);
  });
  Reflect.deleteProperty(video, "seeking");
  video.dispatchEvent(new Event("timeupdate"));
  await vi.waitFor(() => expect(numbersRead().length).toBe(11));
});

it("reads again what the browser has let go of by itself", async () => {
  const add = vi.spyOn(MediaSource.prototype, "addSourceBuffer");
  player = new Player(video, source, whole, onError);
  await vi.waitFor(() => expect(numbersRead().length).toBe(11));
  const buffer: SourceBuffer = add.mock.results[0]!.value;
  add.mockRestore();
  await vi.waitFor(() => expect(buffer.updating).toBe(false));
  buffer.remove(0, 6);
  await vi.waitFor(() => expect(buffer.updating).toBe(false));
  await seek(video, 3.5);
  expect(secondShown(video)).toBe(3);
});

it("plays, reads on as it does, and keeps no more than some seconds behind", async () => {
  player = new Player(video, source, whole, onError);
  await once("loadeddata");
  video.playbackRate = 16;
  await video.play();
  await vi.waitFor(() => expect(video.currentTime).toBeGreaterThan(25), PLAYING);
  expect(bufferedSeconds()).toBeLessThan(20);
  expect(video.buffered.start(0)).toBeGreaterThanOrEqual(15);
  await once("ended");
  expect(new Set(numbersRead()).size).toBe(numbersRead().length);
});

it.each([
  ["that is played next", 0],
  ["that is only read ahead", 5],
])("stops at once when a fragment %s does not authenticate, and says so once", async (_, tampered) => {
  const error = Object.assign(new Error("chunk 7 does not open"), { name: "TamperedError" });
  const read = source.read.bind(source);
  source.read = async (at, length) => {
    if (at === whole.fragments[tampered]!.at) throw error;
    return read(at, length);
  };
  player = new Player(video, source, whole, onError);
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1));
  expect(onError).toHaveBeenCalledWith(error);
  expect(video.hasAttribute("src")).toBe(false);
  expect(video.readyState).toBe(HTMLMediaElement.HAVE_NOTHING);
});

it("goes from box to box where the file's own list of fragments is wrong, and shows the frame that is sought", async () => {
  source.bytes = withWrongPlace(7);
  const listed = await indexOf(source);
  expect(listed.fragments[7]?.at).toBe(whole.fragments[7]!.at + 8);
  player = new Player(video, source, listed, onError);
  await once("loadeddata");
  await seek(video, 7.5);
  expect(secondShown(video)).toBe(7);
  await seek(video, 20.5);
  expect(secondShown(video)).toBe(0);
  expect(onError).not.toHaveBeenCalled();
});

it("stops and says so where another fragment is than the boxes say", async () => {
  const read = source.read.bind(source);
  const [third, fourth] = [whole.fragments[3]!, whole.fragments[4]!];
  source.read = (at, length) => (at === third.at ? read(fourth.at, fourth.length) : read(at, length));
  player = new Player(video, source, whole, onError);
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1));
  expect(onError.mock.calls[0]?.[0]).toBeInstanceOf(UnreadableRecording);
  expect(video.hasAttribute("src")).toBe(false);
});

it("stops and says so when the browser cannot read what it got", async () => {
  const read = source.read.bind(source);
  source.read = async (at, length) => (await read(at, length)).fill(0xff);
  player = new Player(video, source, whole, onError);
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1));
});

it("stops and says so when the browser's decoder gives up", async () => {
  player = new Player(video, source, whole, onError);
  await once("loadeddata");
  video.dispatchEvent(new Event("error"));
  expect(onError).toHaveBeenCalledTimes(1);
  expect(video.hasAttribute("src")).toBe(false);
});

it("plays a file on while it grows, and does not end before its recorder has", async () => {
  const clock = new ManualClock();
  source.bytes = upTo(2);
  player = new Player(video, source, await indexOf(source), onError, clock);
  await once("loadeddata");
  expect(video.duration).toBeCloseTo(2, 1);
  video.playbackRate = 4;
  await video.play();
  await vi.waitFor(() => expect(video.currentTime).toBeGreaterThan(1.5), PLAYING);
  expect(video.ended).toBe(false);
  source.bytes = upTo(4);
  await vi.waitFor(() => {
    clock.advance(milli(1_000));
    expect(video.currentTime).toBeGreaterThan(3.2);
  }, PLAYING);
  expect(secondShown(video)).toBe(3);
  expect(video.duration).toBeCloseTo(4, 1);
});

it("plays a file that was cut in the middle to its last whole fragment, and ends there", async () => {
  const clock = new ManualClock();
  source.bytes = bytes.subarray(0, upTo(3).length + 500);
  player = new Player(video, source, await indexOf(source), onError, clock);
  await once("loadeddata");
  video.playbackRate = 4;
  await video.play();
  const ended = once("ended");
  await vi.waitFor(() => {
    clock.advance(milli(1_000));
    expect(video.ended).toBe(true);
  }, PLAYING);
  await ended;
  expect(secondShown(video)).toBe(2);
  expect(onError).not.toHaveBeenCalled();
});

it("reads nothing more and says nothing once it is closed, whatever a read that is under way comes to", async () => {
  const pending = Promise.withResolvers<Uint8Array>();
  const read = source.read.bind(source);
  player = new Player(video, source, whole, onError);
  const readPending = vi.fn(() => pending.promise);
  source.read = (at, length) => (at === whole.fragments[3]!.at ? readPending() : read(at, length));
  await vi.waitFor(() => expect(readPending).toHaveBeenCalled());
  source.reads = [];
  player.close();
  pending.reject(new Error("too late"));
  video.dispatchEvent(new Event("seeking"));
  await new Promise((turn) => setTimeout(turn));
  expect(source.reads).toEqual([]);
  expect(onError).not.toHaveBeenCalled();
  expect(video.hasAttribute("src")).toBe(false);
});
