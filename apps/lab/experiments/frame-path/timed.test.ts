import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TimedPipe } from "./timed.in-worker.ts";

let now: number;
beforeEach(() => {
  now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A frame as far as its time is taken. */
function frame(rtpTimestamp: number): RTCEncodedVideoFrame {
  return { data: new ArrayBuffer(10), getMetadata: () => ({ rtpTimestamp }) } as unknown as RTCEncodedVideoFrame;
}

function pipe() {
  const encoder = new TransformStream<RTCEncodedVideoFrame>({}, undefined, { highWaterMark: 10 });
  const out: RTCEncodedVideoFrame[] = [];
  const packetizer = new WritableStream<RTCEncodedVideoFrame>({ write: (frame) => void out.push(frame) });
  const timed = new TimedPipe({ readable: encoder.readable, writable: packetizer });
  return {
    timed,
    out,
    encoder: encoder.writable.getWriter(),
    reader: timed.readable.getReader(),
    writer: timed.writable.getWriter(),
  };
}

test("a frame's time runs from when it is there to when it is written", async () => {
  const { timed, out, encoder, reader, writer } = pipe();
  const given = frame(90);
  await encoder.write(given);
  const { value } = await reader.read();
  now = 0.25;
  value!.data = new ArrayBuffer(34);
  await writer.write(value!);
  expect(out).toEqual([given]);
  expect(timed.take()).toEqual({ passed: [{ rtpTimestamp: 90, us: 250, bytes: 34 }], lost: 0 });
});

test("a frame that the product keeps is lost, and counts once", async () => {
  const { timed, encoder, reader, writer } = pipe();
  await encoder.write(frame(1));
  const kept = (await reader.read()).value!;
  expect(timed.take()).toEqual({ passed: [], lost: 1 });
  await writer.write(kept);
  expect(timed.take()).toEqual({ passed: [], lost: 0 });
});

test("the product's stream ends with the browser's", async () => {
  const { encoder, reader } = pipe();
  await encoder.close();
  expect((await reader.read()).done).toBe(true);
});
