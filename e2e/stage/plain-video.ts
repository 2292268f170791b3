import { ok } from "node:assert";
import { closeSync, openSync, writeSync } from "node:fs";
import { concat, u32 } from "@sealcast/bytes";
import {
  BufferSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathTarget,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
} from "mediabunny";

/** Filler data (ITU-T H.264 section 7.3.2.7): decoders leave it out. */
const FILLER = 12;

/**
 * Writes an MP4 of a short H.264 clip, over and over: as cameras and editors make them, not fragmented and with its description at
 * the end, or in fragments, as recordings are.
 *
 * @param clip an MP4
 * @param paddingBytes how much longer each picture is made
 */
export async function writePlainVideo(
  path: string,
  clip: Buffer,
  { seconds, paddingBytes, inFragments = false }: { seconds: number; paddingBytes: number; inFragments?: boolean },
): Promise<void> {
  const track = await new Input({ source: new BufferSource(clip), formats: [MP4] }).getPrimaryVideoTrack();
  const decoderConfig = await track?.getDecoderConfig();
  ok(track && decoderConfig);
  const packets: EncodedPacket[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet);
  const video = new EncodedVideoPacketSource("avc");
  const format = new Mp4OutputFormat({ fastStart: inFragments && "fragmented" });
  const output = new Output({ format, target: new FilePathTarget(path) });
  output.addVideoTrack(video);
  await output.start();
  const noise = Uint8Array.from({ length: paddingBytes - 1 }, () => 1 + Math.floor(Math.random() * 255));
  const filler = concat(u32(paddingBytes), Uint8Array.of(FILLER), noise);
  const length = (packets.at(-1)?.timestamp ?? 0) + (packets.at(-1)?.duration ?? 0);
  for (let at = 0; at < seconds; at += length)
    for (const { data, type, timestamp, duration } of packets)
      await video.add(new EncodedPacket(concat(data, filler), type, at + timestamp, duration), { decoderConfig });
  await output.finalize();
}

/** Writes some seconds of noise as a WAV: 16 bits, stereo, 48 kHz. */
export function writeNoise(path: string, seconds: number): void {
  const [rate, channels] = [48_000, 2];
  const part = Buffer.alloc(rate * channels * 2);
  for (let at = 0; at < part.length; at += 2) part.writeInt16LE(Math.round((Math.random() - 0.5) * 2_000), at);
  const bytes = part.length * seconds;
  const header = Buffer.from("RIFF    WAVEfmt                     data    ", "latin1");
  header.writeUInt32LE(36 + bytes, 4);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(part.length, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.writeUInt32LE(bytes, 40);
  const file = openSync(path, "w");
  writeSync(file, header);
  for (let second = 0; second < seconds; second++) writeSync(file, part);
  closeSync(file);
}
