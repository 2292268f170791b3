import { milli } from "@sealcast/time";
import { expect, test, vi } from "vitest";
import type { PlayerFrame } from "../shared/messages.ts";
import { webCodecs } from "./frame-decoder.ts";

const SIZE = { width: 320, height: 180 };

/** Frames of a moving picture, of which only the first needs no other. */
async function encoded(codec: string, count: number): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      chunks.push(data);
    },
    error: () => undefined,
  });
  encoder.configure({ codec, ...SIZE, bitrate: 300_000, latencyMode: "realtime" });
  const canvas = new OffscreenCanvas(SIZE.width, SIZE.height);
  const context = canvas.getContext("2d") ?? expect.unreachable();
  for (let at = 0; at < count; at++) {
    context.fillStyle = `hsl(${at * 20} 80% 50%)`;
    context.fillRect(at * 10, at * 5, 80, 80);
    const frame = new VideoFrame(canvas, { timestamp: at * 40_000 });
    encoder.encode(frame, { keyFrame: at === 0 });
    frame.close();
  }
  await encoder.flush();
  encoder.close();
  return chunks;
}

function playerFrame(at: number, index: number, data: Uint8Array<ArrayBuffer> = expect.unreachable()): PlayerFrame {
  const receivedAtMs = milli(at * 40);
  return { track: "video", group: at - index, index, timestampUs: at * 40_000, data, receivedAtMs };
}

function decoding(codec: string) {
  const [times, faults] = [[] as number[], [] as string[]];
  const decoder = webCodecs.video({ codec, ...SIZE })(
    (frame) => {
      times.push(frame.timestamp);
      frame.close();
    },
    (fault) => faults.push(fault),
  );
  return { decoder, times, faults };
}

test.each(["vp8", "vp09.00.10.08", "av01.0.04M.08"])(
  "a frame of %s that a relay calls a key frame and is none is not decoded",
  async (codec) => {
    const frames = await encoded(codec, 12);
    const { decoder, times, faults } = decoding(codec);
    const give = (at: number, index: number) => decoder.decode(playerFrame(at, index, frames[at]));
    for (let at = 0; at < 6; at++) give(at, at);
    await vi.waitFor(() => expect(times).toEqual([0, 40_000, 80_000, 120_000, 160_000, 200_000]));
    expect(() => give(9, 0)).toThrow("wasn't a key frame");
    expect([times.length, faults]).toEqual([6, []]);
    decoder.close();
  },
);

test.each(["vp8", "vp09.00.10.08"])("group after group of %s is decoded, each from its key frame", async (codec) => {
  const frames = await encoded(codec, 5);
  const { decoder, times, faults } = decoding(codec);
  for (let at = 0; at < 20; at++) {
    decoder.decode(playerFrame(at, at % 5, frames[at % 5]));
  }
  await vi.waitFor(() => expect(times).toEqual(Array.from({ length: 20 }, (_, at) => at * 40_000)));
  expect(faults).toEqual([]);
  decoder.close();
});

/** Half a second of a tone, in packets of 40 ms. */
async function tone(): Promise<Uint8Array<ArrayBuffer>[]> {
  const packets: Uint8Array<ArrayBuffer>[] = [];
  const output = (chunk: EncodedAudioChunk) => {
    const data = new Uint8Array(chunk.byteLength);
    chunk.copyTo(data);
    packets.push(data);
  };
  const encoder = new AudioEncoder({ output, error: (error) => expect.unreachable(error.message) });
  encoder.configure({ codec: "opus", ...SOUND, numberOfChannels: 1, opus: { frameDuration: 40_000 } });
  const numberOfFrames = SOUND.sampleRate / 2;
  const data = Float32Array.from({ length: numberOfFrames }, (_, i) => Math.sin(i / 8));
  const shape = { format: "f32-planar", ...SOUND, numberOfFrames, numberOfChannels: 1, timestamp: 0 } as const;
  encoder.encode(new AudioData({ ...shape, data }));
  await encoder.flush();
  encoder.close();
  return packets;
}

const SOUND = { sampleRate: 48_000 } as const;

test("sound after a gap has the time of its packet, not what the decoder counts", async () => {
  const packets = (await tone()).slice(0, 12);
  const times = packets.map((_, i) => 40_000 * i + (i < 4 ? 0 : 3_000_000) + (i < 8 ? 0 : 40_000));
  const decoded: number[] = [];
  const decoder = webCodecs.audio({ codec: "opus", ...SOUND, channels: 1 })(
    ({ data, timestampUs }) => {
      decoded.push(timestampUs);
      data.close();
    },
    (fault) => expect.unreachable(fault),
  );
  for (const [i, data] of packets.entries())
    decoder.decode({ track: "audio", group: 0, index: i, timestampUs: times[i]!, data, receivedAtMs: milli(0) });
  await vi.waitFor(() => expect(decoded).toHaveLength(12));
  expect(decoded).toEqual(times);
  decoder.close();
});
