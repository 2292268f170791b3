import { importBaseKey } from "@sealcast/crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { Keyring } from "./keyring.ts";
import { ONE_LAYER } from "./layers.ts";
import { type OpenedFrame, Opener } from "./opener.ts";
import { Policies } from "./policies.ts";
import { type Sealed, Sealer } from "./sealer.ts";

/** Frames that Chromium's own encoders make of a moving picture, sealed, opened and given to its decoders. */

interface Codec {
  mimeType: string;
  config: Pick<VideoEncoderConfig, "codec" | "scalabilityMode" | "avc">;
  /** Bytes that a sealed frame is longer by than what reaches the decoder, at most. */
  overhead: number;
  /** What of the encoder's frame reaches the decoder. */
  decoded(frame: Uint8Array): Uint8Array;
  /** What packetizers do to a sealed frame. */
  onTheWay(frame: Uint8Array): Uint8Array;
}

const unchanged = (frame: Uint8Array) => frame;
const VP8 = { mimeType: "video/VP8", overhead: 24, decoded: unchanged, onTheWay: unchanged };
const VP9 = { ...VP8, mimeType: "video/VP9" };
/** Zero bytes behind NAL units go; start codes have 4 bytes, and on the way 3, with a delimiter in front. */
const H264 = {
  mimeType: "video/H264",
  overhead: 24,
  decoded: (frame: Uint8Array) => behind([0, 0, 0, 1], nalsOf(frame)),
  onTheWay: (frame: Uint8Array) => behind([0, 0, 1], [Uint8Array.of(0x09, 0xf0), ...nalsOf(frame)]),
};
/** The temporal delimiter, 12 00, goes; one may come again. */
const AV1 = {
  mimeType: "video/AV1",
  overhead: 25,
  decoded: (frame: Uint8Array) => frame.slice(2),
  onTheWay: (frame: Uint8Array) => Uint8Array.of(0x12, 0, ...frame),
};

const CODECS: Codec[] = [
  { ...VP8, config: { codec: "vp8" } },
  { ...VP8, config: { codec: "vp8", scalabilityMode: "L1T3" } },
  { ...VP9, config: { codec: "vp09.00.10.08" } },
  { ...VP9, config: { codec: "vp09.00.10.08", scalabilityMode: "L1T3" } },
  { ...H264, config: { codec: "avc1.42001f", avc: { format: "annexb" } } },
  { ...H264, config: { codec: "avc1.42001f", avc: { format: "annexb" }, scalabilityMode: "L1T3" } },
  { ...AV1, config: { codec: "av01.0.04M.08" } },
  { ...AV1, config: { codec: "av01.0.04M.08", scalabilityMode: "L1T3" } },
];

let keyring: Keyring;

beforeEach(async () => {
  keyring = new Keyring(ONE_LAYER);
  const baseKey = await importBaseKey(new Uint8Array(32).fill(7));
  keyring.apply({ type: "epoch", id: 3, epoch: 3, leaf: 1, leaves: [0, 1, 2], baseKey, outerKey: null });
  keyring.apply({ type: "send", epoch: 3 });
});

describe.each(CODECS)("$mimeType of an encoder ($config.scalabilityMode)", (codec) => {
  it("comes back as the decoder needs it, and is decoded", async () => {
    const chunks = await encoded(codec.config);
    expect(new Set(chunks.map(({ type }) => type))).toEqual(new Set(["key", "delta"]));
    const opener = new Opener(keyring, new Policies(), "video", { leaf: 1, source: "camera" });
    const opened: EncodedVideoChunk[] = [];
    for (const { frame, sealed, chunk } of await sealedChunks(codec, chunks)) {
      const { data } = passed(await opener.open(bufferOf(codec.onTheWay(sealed)), codec.mimeType, false));
      expect(new Uint8Array(data)).toEqual(codec.decoded(frame));
      expect(sealed.length - data.byteLength).toBeLessThanOrEqual(codec.overhead);
      opened.push(new EncodedVideoChunk({ type: chunk.type, timestamp: chunk.timestamp, data }));
    }
    expect(await decoded(codec.config, opened)).toBe(chunks.length);
  });

  it("is refused with any one byte changed, at any place", async () => {
    const chunks = await encoded(codec.config);
    for (const { sealed } of (await sealedChunks(codec, chunks)).slice(0, 2)) {
      const opener = new Opener(keyring, new Policies(), "video", { leaf: 1, source: "camera" });
      for (let at = 0; at < sealed.length; at++) {
        const changed = sealed.with(at, (sealed[at] ?? 0) ^ 0x21);
        expect((await opener.open(changed.buffer, codec.mimeType, false)).ok, `byte ${at}`).toBe(false);
      }
      expect((await opener.open(bufferOf(sealed), codec.mimeType, false)).ok).toBe(true);
    }
  });
});

describe("H.264 of an encoder", () => {
  it("has as many NAL units sealed as before: no start code comes about", async () => {
    const codec: Codec = { ...H264, config: { codec: "avc1.42001f", avc: { format: "annexb" } } };
    const chunks = await encoded(codec.config);
    const counts = (await sealedChunks(codec, chunks)).map(({ frame, sealed }) => {
      expect(nalsOf(sealed).length).toBe(nalsOf(frame).length);
      return nalsOf(sealed).length;
    });
    expect(Math.max(...counts)).toBeGreaterThan(1);
  });
});

async function sealedChunks(codec: Codec, chunks: EncodedVideoChunk[]) {
  const sealer = new Sealer(keyring, new Policies(), "video", { source: "camera", instance: 0 });
  const list = [];
  for (const chunk of chunks) {
    const frame = new Uint8Array(chunk.byteLength);
    chunk.copyTo(frame);
    const { data } = passed(await sealer.seal(bufferOf(frame), codec.mimeType, false));
    list.push({ chunk, frame, sealed: new Uint8Array(data) });
  }
  return list;
}

function passed<Result extends Sealed | OpenedFrame>(result: Result): Extract<Result, { ok: true }> {
  if (!result.ok) throw new Error(`dropped: ${result.drop}`);
  return result as Extract<Result, { ok: true }>;
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

/** Eight frames of a moving picture, the first and the sixth key frames. */
async function encoded(config: Codec["config"]): Promise<EncodedVideoChunk[]> {
  const canvas = new OffscreenCanvas(320, 180);
  const context = canvas.getContext("2d");
  const chunks: EncodedVideoChunk[] = [];
  const encoder = new VideoEncoder({ output: (chunk) => chunks.push(chunk), error: unexpected });
  encoder.configure({ ...config, width: 320, height: 180, bitrate: 300_000, framerate: 20, latencyMode: "realtime" });
  for (let i = 0; i < 8 && context !== null; i++) {
    context.fillStyle = `hsl(${i * 40}, 80%, 50%)`;
    context.fillRect(0, 0, 320, 180);
    context.clearRect(i * 20, 20, 40, 40);
    const frame = new VideoFrame(canvas, { timestamp: i * 50_000 });
    encoder.encode(frame, { keyFrame: i === 0 || i === 5 });
    frame.close();
  }
  await encoder.flush();
  encoder.close();
  return chunks;
}

/** How many pictures come of the chunks. */
async function decoded(config: Codec["config"], chunks: EncodedVideoChunk[]): Promise<number> {
  let pictures = 0;
  const output = (frame: VideoFrame) => {
    pictures++;
    frame.close();
  };
  const decoder = new VideoDecoder({ output, error: unexpected });
  decoder.configure({ codec: config.codec, optimizeForLatency: true });
  for (const chunk of chunks) decoder.decode(chunk);
  await decoder.flush();
  decoder.close();
  return pictures;
}

function unexpected(error: DOMException): void {
  throw error;
}

/** NAL units of an Annex B stream, without the zero bytes behind them. */
function nalsOf(frame: Uint8Array): Uint8Array[] {
  const starts = [...frame.keys()].filter((i) => frame[i - 3] === 0 && frame[i - 2] === 0 && frame[i - 1] === 1);
  return starts.map((start, i) => {
    let end = (starts[i + 1] ?? frame.length + 3) - 3;
    while (frame[end - 1] === 0) end--;
    return frame.slice(start, end);
  });
}

function behind(startCode: number[], nals: Uint8Array[]): Uint8Array {
  return Uint8Array.from(nals.flatMap((nal) => [...startCode, ...nal]));
}
