import { concat, u32, utf8 } from "@sealcast/bytes";
import {
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
  StreamTarget,
} from "mediabunny";
import type { ReadableSource } from "./fragments.ts";

/** Version 1, profile 0x64, level 0x1f, lengths of 4 bytes; one sequence and one picture parameter set. */
const H264 = Uint8Array.of(1, 0x64, 0, 0x1f, 0xff, 0xe1, 0, 4, 0x67, 0x64, 0, 0x1f, 1, 0, 2, 0x68, 0xee);
const FRAMES_PER_SECOND = 25;
const SOUND_SECONDS = 0.02;

const DECODERS: Record<string, VideoDecoderConfig> = {
  avc: { codec: "avc1.64001f", codedWidth: 320, codedHeight: 180, description: H264 },
  vp9: { codec: "vp09.00.21.08", codedWidth: 320, codedHeight: 180 },
  av1: { codec: "av01.0.04M.08", codedWidth: 320, codedHeight: 180 },
};

export interface Recorded {
  readonly bytes: Uint8Array;
  /** Where each write of the muxer ended. */
  readonly ends: readonly number[];
}

/**
 * A fragmented MP4 as the recorder's muxer writes it, of frames that nobody can decode: a key frame and a fragment a second.
 * Sound begins `soundFrom` seconds after the video, and ends a little before it: what follows would be a fragment of its own.
 */
export async function record(
  seconds: number,
  {
    codec = "avc" as "avc" | "vp9" | "av1",
    soundFrom = 0,
    soundSeconds = seconds - 0.06,
    video = true,
    finish = true,
  } = {},
): Promise<Recorded> {
  const parts: Uint8Array[] = [];
  const ends: number[] = [];
  const writable = new WritableStream<{ data: Uint8Array; position: number }>({
    write({ data, position }) {
      parts.push(data);
      ends.push(position + data.length);
    },
  });
  const format = new Mp4OutputFormat({ fastStart: "fragmented", minimumFragmentDuration: 0.9 });
  const output = new Output({ format, target: new StreamTarget(writable) });
  const pictures = new EncodedVideoPacketSource(codec);
  const sound = new EncodedAudioPacketSource("opus");
  if (video) output.addVideoTrack(pictures);
  output.addAudioTrack(sound);
  await output.start();
  const writing = [addSound(sound, soundFrom, soundSeconds), video ? addPictures(pictures, codec, seconds) : null];
  await Promise.all(writing);
  if (finish) await output.finalize();
  return { bytes: concat(...parts), ends };
}

async function addPictures(to: EncodedVideoPacketSource, codec: string, seconds: number): Promise<void> {
  const decoderConfig = DECODERS[codec]!;
  for (let n = 0; n < seconds * FRAMES_PER_SECOND; n++) {
    const type = n % FRAMES_PER_SECOND === 0 ? "key" : "delta";
    const data = new Uint8Array(300).fill(n);
    await to.add(new EncodedPacket(data, type, n / FRAMES_PER_SECOND, 1 / FRAMES_PER_SECOND), { decoderConfig });
  }
  to.close();
}

async function addSound(to: EncodedAudioPacketSource, from: number, until: number): Promise<void> {
  const decoderConfig = { codec: "opus", numberOfChannels: 2, sampleRate: 48_000 };
  for (let at = from; at + SOUND_SECONDS <= until; at += SOUND_SECONDS)
    await to.add(new EncodedPacket(new Uint8Array(80), "key", at, SOUND_SECONDS), { decoderConfig });
  to.close();
}

/** A file in memory that counts what is read of it. */
export class MemorySource implements ReadableSource {
  bytes: Uint8Array;
  reads: { at: number; length: number }[] = [];

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  async size(): Promise<number> {
    return this.bytes.length;
  }

  async read(at: number, length: number): Promise<Uint8Array> {
    if (at < 0 || length < 0 || at + length > this.bytes.length) throw new RangeError("read past the end of the file");
    this.reads.push({ at, length });
    return this.bytes.slice(at, at + length);
  }
}

export function box(type: string, ...content: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const body = concat(...content);
  return concat(u32(8 + body.length), utf8(type), body);
}
