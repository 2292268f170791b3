import {
  AudioSample,
  AudioSampleSource,
  CanvasSource,
  getFirstEncodableVideoCodec,
  type Output,
  Quality,
} from "mediabunny";
import { type RecordingShape, SOUND, VIDEO_CODECS } from "../shared/messages.ts";
import { movieOf } from "../shared/movie.ts";
import { KEY_FRAME_SECONDS, recordingOutput } from "./output.ts";
import type { SoundWriter } from "./sound-track.ts";

const BITS_A_PIXEL = 0.1;
const SOUND_BITS_A_SECOND = 96_000;
/** A picture that finds as many before it is left out. */
const MOST_ENCODING = 3;

interface Events {
  /** Not to be transferred: the muxer looks at its length afterwards. */
  append(bytes: Uint8Array): void;
  failed(error: unknown): void;
}

/** A fragmented MP4 of what is drawn on a canvas, and of sound. All times are of the recording. */
export class RecordingFile implements SoundWriter {
  readonly #output: Output;
  readonly #video: CanvasSource;
  readonly #audio: AudioSampleSource;
  readonly #events: Events;
  #encoding = 0;
  #mimeType = "video/mp4";

  /** Rejects where the browser encodes none of the codecs at this size. */
  static async open(canvas: OffscreenCanvas, shape: RecordingShape, events: Events): Promise<RecordingFile> {
    const { width, height } = shape;
    const bitrate = Math.round(width * height * shape.framesPerSecond * BITS_A_PIXEL);
    const quality = new Quality({ bitrate });
    const codec = await getFirstEncodableVideoCodec([...VIDEO_CODECS.map(({ name }) => name)], {
      width,
      height,
      quality,
    });
    if (codec === null) throw new Error("This browser encodes no video that MP4 carries.");
    const encoding = { codec, quality, keyFrameInterval: KEY_FRAME_SECONDS, latencyMode: "realtime" } as const;
    const file = new RecordingFile(new CanvasSource(canvas, encoding), events);
    await file.#output.start();
    return file;
  }

  private constructor(video: CanvasSource, events: Events) {
    this.#events = events;
    this.#video = video;
    this.#audio = new AudioSampleSource({ codec: "opus", quality: new Quality({ bitrate: SOUND_BITS_A_SECOND }) });
    this.#output = recordingOutput(events.append, (moov) => {
      this.#mimeType = movieOf(moov).mimeType;
    });
    this.#output.addVideoTrack(this.#video);
    this.#output.addAudioTrack(this.#audio);
  }

  /** With codecs, once a fragment was written. */
  get mimeType(): string {
    return this.#mimeType;
  }

  /** Takes the canvas as it is. @returns false where the encoder is not done with those before: it is left out */
  picture(seconds: number, duration: number): boolean {
    if (this.#encoding === MOST_ENCODING) return false;
    this.#encoding++;
    void this.#watch(this.#video.add(seconds, duration)).finally(() => this.#encoding--);
    return true;
  }

  sound(data: AudioData, at: number): void {
    const sample = new AudioSample(data);
    sample.setTimestamp(at / SOUND.sampleRate);
    this.#addSound(sample);
  }

  silence(at: number, samples: number): void {
    this.#addSound(
      new AudioSample({
        data: new Float32Array(samples * SOUND.channels),
        format: "f32-planar",
        numberOfChannels: SOUND.channels,
        sampleRate: SOUND.sampleRate,
        timestamp: at / SOUND.sampleRate,
      }),
    );
  }

  /** Writes the rest. */
  async finish(): Promise<void> {
    await this.#output.finalize();
  }

  /** Writes nothing more. */
  async cancel(): Promise<void> {
    await this.#output.cancel();
  }

  #addSound(sample: AudioSample): void {
    void this.#watch(this.#audio.add(sample)).finally(() => sample.close());
  }

  async #watch(adding: Promise<void>): Promise<void> {
    await adding.catch((error: unknown) => this.#events.failed(error));
  }
}
