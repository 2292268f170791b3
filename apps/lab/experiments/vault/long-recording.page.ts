import { KEY_FRAME_SECONDS, recordingOutput } from "@sealcast/recording/output";
import { EncodedAudioPacketSource, EncodedPacket, EncodedVideoPacketSource } from "mediabunny";

/** A recording of any length in seconds rather than hours: a few seconds are encoded, and muxed over and over as recordings are. */

const WIDTH = 1280;
const HEIGHT = 720;
const FRAMES_PER_SECOND = 30;
/** As recordings have it: 0.1 bits a pixel. */
const BITS_A_SECOND = WIDTH * HEIGHT * FRAMES_PER_SECOND * 0.1;
const CLIP_SECONDS = 4;
const SOUND_SECONDS = 0.02;
/** Fragments. */
const MOST_WAITING = 8;
const SOUND = { codec: "opus", sampleRate: 48_000, numberOfChannels: 2, bitrate: 96_000 };

/** One picture or 20 ms of sound, encoded. */
interface Piece {
  readonly data: Uint8Array;
  readonly type: "key" | "delta";
}

interface Clip {
  readonly video: readonly Piece[];
  readonly videoConfig: VideoDecoderConfig;
  readonly sound: readonly Piece[];
  readonly soundConfig: AudioDecoderConfig;
}

/** Gives `append` at least `bytes`, one fragment after the other. Resolves with how long it plays, in seconds. */
export async function longRecording(bytes: number, append: (bytes: Uint8Array) => Promise<void>): Promise<number> {
  const clip = await encoded();
  let made = 0;
  let appended = Promise.resolve();
  const output = recordingOutput(
    (fragment) => {
      made += fragment.length;
      appended = appended.then(() => append(fragment));
    },
    () => undefined,
  );
  const [video, sound] = [new EncodedVideoPacketSource("avc"), new EncodedAudioPacketSource("opus")];
  output.addVideoTrack(video);
  output.addAudioTrack(sound);
  await output.start();
  let seconds = 0;
  for (; made < bytes; seconds++) {
    await addSecond(video, sound, clip, seconds);
    // What waits to be written is bounded.
    if (seconds % MOST_WAITING === 0) await appended;
  }
  await output.finalize();
  await appended;
  return seconds;
}

async function addSecond(
  video: EncodedVideoPacketSource,
  sound: EncodedAudioPacketSource,
  { video: pictures, videoConfig, sound: pieces, soundConfig }: Clip,
  second: number,
): Promise<void> {
  for (let n = 0; n < FRAMES_PER_SECOND; n++) {
    const { data, type } = pictures[((second % CLIP_SECONDS) * FRAMES_PER_SECOND + n) % pictures.length] as Piece;
    const at = second + n / FRAMES_PER_SECOND;
    await video.add(new EncodedPacket(data, type, at, 1 / FRAMES_PER_SECOND), { decoderConfig: videoConfig });
  }
  for (let n = 0; n < 1 / SOUND_SECONDS; n++) {
    const { data } = pieces[n % pieces.length] as Piece;
    const at = second + n * SOUND_SECONDS;
    await sound.add(new EncodedPacket(data, "key", at, SOUND_SECONDS), { decoderConfig: soundConfig });
  }
}

async function encoded(): Promise<Clip> {
  const [[video, videoConfig], [sound, soundConfig]] = await Promise.all([encodedVideo(), encodedSound()]);
  return { video, videoConfig, sound, soundConfig };
}

async function encodedVideo(): Promise<[Piece[], VideoDecoderConfig]> {
  const canvas = new OffscreenCanvas(WIDTH, HEIGHT);
  const pieces: Piece[] = [];
  let config: VideoDecoderConfig | undefined;
  const encoder = new VideoEncoder({
    output(chunk, metadata) {
      config ??= metadata?.decoderConfig;
      pieces.push(pieceOf(chunk));
    },
    error: fail,
  });
  encoder.configure({
    codec: "avc1.42e01f",
    width: WIDTH,
    height: HEIGHT,
    bitrate: BITS_A_SECOND,
    bitrateMode: "constant",
    framerate: FRAMES_PER_SECOND,
    latencyMode: "realtime",
    avc: { format: "avc" },
  });
  for (let n = 0; n < CLIP_SECONDS * FRAMES_PER_SECOND; n++) {
    draw(canvas, n);
    const frame = new VideoFrame(canvas, { timestamp: (n / FRAMES_PER_SECOND) * 1e6 });
    encoder.encode(frame, { keyFrame: n % (KEY_FRAME_SECONDS * FRAMES_PER_SECOND) === 0 });
    frame.close();
  }
  await encoder.flush();
  encoder.close();
  if (config === undefined) throw new Error("the browser's encoder gave nothing");
  return [pieces, config];
}

/** Coloured squares that move: as many bits as a grid of people takes. */
function draw(canvas: OffscreenCanvas, n: number): void {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("there is no canvas");
  const size = 40;
  for (let at = 0; at < (WIDTH * HEIGHT) / size ** 2; at++) {
    const [x, y] = [(at * size) % WIDTH, Math.floor((at * size) / WIDTH) * size];
    context.fillStyle = `hsl(${(at * 47 + n * 3) % 360} 60% ${30 + ((at * 13 + n) % 40)}%)`;
    context.fillRect(x, y, size, size);
  }
}

async function encodedSound(): Promise<[Piece[], AudioDecoderConfig]> {
  const pieces: Piece[] = [];
  let config: AudioDecoderConfig | undefined;
  const encoder = new AudioEncoder({
    output(chunk, metadata) {
      config ??= metadata?.decoderConfig;
      pieces.push(pieceOf(chunk));
    },
    error: fail,
  });
  encoder.configure(SOUND);
  const { sampleRate, numberOfChannels } = SOUND;
  const data = Float32Array.from({ length: sampleRate * numberOfChannels }, (_, i) => Math.sin(i / 20) / 4);
  const init = {
    format: "f32-planar",
    sampleRate,
    numberOfChannels,
    numberOfFrames: sampleRate,
    timestamp: 0,
  } as const;
  encoder.encode(new AudioData({ ...init, data }));
  await encoder.flush();
  encoder.close();
  if (config === undefined) throw new Error("the browser's encoder gave nothing");
  return [pieces, config];
}

function pieceOf(chunk: EncodedVideoChunk | EncodedAudioChunk): Piece {
  const data = new Uint8Array(chunk.byteLength);
  chunk.copyTo(data);
  return { data, type: chunk.type };
}

function fail(error: DOMException): never {
  throw error;
}
