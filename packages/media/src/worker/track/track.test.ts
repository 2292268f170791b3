import { importBaseKey } from "@sealcast/crypto";
import { milli } from "@sealcast/time";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Keyring } from "../sealing/keyring.ts";
import { ONE_LAYER } from "../sealing/layers.ts";
import { Policies } from "../sealing/policies.ts";
import type { EncodedFrame } from "./frame-writer.ts";
import { openTrack, type Replaces, sealTrack } from "./track.ts";
import { TransformStats } from "./transform-stats.ts";
import { WorkerLoad } from "./worker-load.ts";

// All frames come at once: on a busy machine those behind would come too late.
beforeEach(() => void vi.spyOn(performance, "now").mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

/** A picture's frame as an encoder hands it over, so large. */
function frame(size: number): EncodedFrame {
  const data = Uint8Array.from([0x51, ...Array(30).keys()]).buffer;
  const metadata = { mimeType: "video/VP8", width: size, height: size };
  return { type: "key", data, getMetadata: () => metadata } as unknown as EncodedFrame;
}

/** One that builds on those before. */
function delta(): EncodedFrame {
  return { ...frame(360), type: "delta", data: Uint8Array.from([0x51, ...Array(30).keys()]).buffer };
}

async function keys(): Promise<Keyring> {
  const keyring = new Keyring(ONE_LAYER);
  const baseKey = await importBaseKey(new Uint8Array(32));
  keyring.apply({ type: "epoch", id: 1, epoch: 1, leaf: 1, leaves: [0, 1, 2], baseKey, outerKey: null });
  keyring.apply({ type: "send", epoch: 1 });
  return keyring;
}

function pipe(frames: EncodedFrame[]) {
  const written: EncodedFrame[] = [];
  const readable = new ReadableStream<EncodedFrame>({
    start(controller) {
      for (const each of frames) controller.enqueue(each);
      controller.close();
    },
  });
  const writable = new WritableStream<EncodedFrame>({ write: (each) => void written.push(each) });
  return { readable, writable, written };
}

/** Has frames go through a sealing transform; gives what it wrote. */
async function seal(frames: EncodedFrame[], fanOut: Replaces | undefined) {
  const keyring = await keys();
  const stats = new TransformStats("t1");
  const { readable, writable, written } = pipe(frames);
  const options = { id: "t1", side: "seal", kind: "video", source: "camera", instance: 0, signed: null } as const;
  const rules = { keyring, policies: new Policies(), load: new WorkerLoad(), fanOut: () => fanOut };
  await sealTrack({ readable, writable }, options, rules, {
    stats,
    needKeyFrame: () => undefined,
    signer: null,
    verifier: null,
  });
  await vi.waitFor(() => expect(accounted(stats)).toBe(frames.length));
  return { written, stats: stats.report() };
}

function accounted(stats: TransformStats): number {
  const { frames, leftOut, refused } = stats.report();
  return frames + leftOut + refused.length;
}

it("a stand-in that no fan-out takes goes nowhere", async () => {
  for (const fanOut of [undefined, { standIn: () => false }]) {
    const { written, stats } = await seal([frame(32)], fanOut);
    expect(written).toEqual([]);
    expect(stats).toMatchObject({ frames: 0, leftOut: 1 });
  }
});

it("a stand-in goes to the fan-out with the codec of its link, a camera's frame is sealed as ever", async () => {
  const standIn = vi.fn((_: string, { frame, writer, stats }: Parameters<Replaces["standIn"]>[1]) => {
    writer.send(frame, new ArrayBuffer(5));
    stats.passed(milli(0), { epoch: 1, mimeType: "video/vp8", bytes: 5, overhead: 0, readable: false, carried: true });
    return true;
  });
  const { written } = await seal([frame(32), frame(360)], { standIn });
  expect(standIn).toHaveBeenCalledOnce();
  expect(standIn.mock.calls[0]).toMatchObject(["t1", { isKey: true, mimeType: "video/VP8" }]);
  expect(written.map(({ data }) => data.byteLength)).toEqual([5, 31 + 20]);
});

it("nothing goes out for a frame with nothing in it, and those after it are sealed", async () => {
  const pause = { ...frame(360), data: new ArrayBuffer(0) };
  const { written, stats } = await seal([frame(360), pause, pause, frame(360)], undefined);
  expect(written.map(({ data }) => data.byteLength)).toEqual([31 + 20, 31 + 20]);
  expect(stats).toMatchObject({ frames: 2, leftOut: 2, refused: [] });
});

/** Has a relay pass frames on to an opening transform; gives what that counted, and how often it asked for a key frame. */
async function open(frames: EncodedFrame[], relay: { mark: Uint8Array } | null) {
  const stats = new TransformStats("t1");
  const needKeyFrame = vi.fn();
  const options = { id: "t1", side: "open", kind: "video", source: "camera", leaf: 1, signed: null, relay } as const;
  const rules = { keyring: await keys(), policies: new Policies(), load: new WorkerLoad() };
  await openTrack(pipe(frames), options, rules, { stats, needKeyFrame, signer: null, verifier: null });
  await vi.waitFor(() => expect(stats.report().came).toBe(frames.length));
  const dealtWith = () => stats.report().refused.reduce((sum, { count }) => sum + count, stats.report().frames);
  await vi.waitFor(() => expect(dealtWith()).toBe(frames.length));
  return { stats: stats.report(), asked: needKeyFrame.mock.calls.length };
}

/** How often a key frame is asked for when this many sealed frames are kept back after the tenth. */
async function asked(keptBack: number, next: EncodedFrame, relay: { mark: Uint8Array } | null = null): Promise<number> {
  const { written } = await seal([frame(360), ...Array.from({ length: 9 + keptBack }, delta), next], undefined);
  const came = [...written.slice(0, 10), ...written.slice(10 + keptBack)];
  // With the first frame one is asked for, whatever it is.
  return (await open(came, relay)).asked - 1;
}

it("after more missing frames than a slow link is spared, a key frame is asked for, unless this is one", async () => {
  expect(await asked(0, delta())).toBe(0);
  expect(await asked(3, delta())).toBe(0);
  expect(await asked(4, delta())).toBe(1);
  expect(await asked(30, delta())).toBe(1);
  expect(await asked(30, frame(360))).toBe(0);
});

it("of what a relay leaves out, other sizes of a picture, no key frame is asked for", async () => {
  expect(await asked(30, delta(), { mark: new Uint8Array() })).toBe(0);
});

it("frames that a relay makes up are dropped and counted, and break nothing", async () => {
  const mark = Uint8Array.of(7, 8, 9);
  const { written } = await seal([frame(360), delta(), delta()], undefined);
  const blank = { ...frame(360), data: Uint8Array.of(1, 2, 3, ...mark).buffer };
  const [first = blank, ...rest] = written;
  const { stats, asked } = await open([first, blank, ...rest], { mark });
  expect(stats).toMatchObject({ frames: 3, refused: [{ why: "made-up", epoch: null, count: 1 }] });
  expect(asked).toBe(1);
  const unmarked = await open([{ ...blank }], { mark: new Uint8Array() });
  expect(unmarked.stats.refused).toMatchObject([{ why: "malformed", count: 1 }]);
});
