import { ok } from "node:assert";
import { closeSync, openSync, writeSync } from "node:fs";
import { recordingOutput } from "@sealcast/recording/output";
import {
  BufferSource,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  type InputTrack,
  MP4,
} from "mediabunny";

/**
 * Writes a file of at least `bytes` in which a short recording plays over and over, muxed as recordings are.
 *
 * @param recording of the product's recorder
 * @returns how long it plays, in seconds
 */
export async function writeLongRecording(path: string, recording: Buffer, bytes: number): Promise<number> {
  const input = new Input({ source: new BufferSource(recording), formats: [MP4] });
  const [pictures, sounds] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()];
  const [videoConfig, soundConfig] = [await pictures?.getDecoderConfig(), await sounds?.getDecoderConfig()];
  ok(pictures?.codec && sounds?.codec && videoConfig && soundConfig);
  const ends = [await pictures.computeDuration(), await sounds.computeDuration()];
  const [length, file] = [Math.floor(Math.min(...ends)), openSync(path, "w")];
  const [ofVideo, ofSound] = [await secondsOf(pictures, length), await secondsOf(sounds, length)];
  const [video, sound] = [new EncodedVideoPacketSource(pictures.codec), new EncodedAudioPacketSource(sounds.codec)];
  let [written, seconds] = [0, 0];
  const output = recordingOutput(
    (fragment) => {
      written += writeSync(file, fragment);
    },
    () => undefined,
  );
  output.addVideoTrack(video);
  output.addAudioTrack(sound);
  await output.start();
  for (; written < bytes; seconds++) {
    const [second, base] = [seconds % length, seconds - (seconds % length)];
    for (const packet of ofVideo[second] ?? []) await video.add(later(packet, base), { decoderConfig: videoConfig });
    for (const packet of ofSound[second] ?? []) await sound.add(later(packet, base), { decoderConfig: soundConfig });
  }
  await output.finalize();
  closeSync(file);
  return seconds;
}

/** A track's packets, of each second its own. */
async function secondsOf(track: InputTrack, length: number): Promise<EncodedPacket[][]> {
  const seconds: EncodedPacket[][] = Array.from({ length }, () => []);
  for await (const packet of new EncodedPacketSink(track).packets())
    seconds[Math.floor(packet.timestamp)]?.push(packet);
  return seconds;
}

function later({ data, type, timestamp, duration }: EncodedPacket, by: number): EncodedPacket {
  return new EncodedPacket(data, type, timestamp + by, duration);
}
