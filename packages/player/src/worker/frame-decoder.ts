import type { PlayerConfig, PlayerFrame } from "../shared/messages.ts";

export type DecoderFault = "undecodable" | "unsupported";

/** A WebCodecs decoder, as far as playing knows it. Nothing of it throws, but `decode` of one that has failed. */
export interface FrameDecoder {
  /** Frames that wait in it. */
  readonly queued: number;
  decode(frame: PlayerFrame): void;
  close(): void;
}

/** `output` owns what it gets. After `failed` nothing more comes. */
export type MakeDecoder<Output> = (
  output: (output: Output) => void,
  failed: (fault: DecoderFault) => void,
) => FrameDecoder;

/** Sound of one packet, and the time that the packet had. */
export interface DecodedSound {
  readonly data: AudioData;
  readonly timestampUs: number;
}

/** Decoders that a `StreamPlayer` runs; tests have others. */
export interface Decoders {
  video(config: NonNullable<PlayerConfig["video"]>): MakeDecoder<VideoFrame>;
  audio(config: NonNullable<PlayerConfig["audio"]>): MakeDecoder<DecodedSound>;
}

export const webCodecs: Decoders = {
  video:
    ({ codec, width, height }) =>
    (output, failed) => {
      const decoder = new VideoDecoder({ output, error: (error) => failed(faultOf(error)) });
      decoder.configure({ codec, codedWidth: width, codedHeight: height, optimizeForLatency: true });
      return {
        get queued() {
          return decoder.decodeQueueSize;
        },
        decode: ({ index, timestampUs, data }) => {
          const type = index === 0 ? "key" : "delta";
          // Whether a frame needs no other is a relay's word. Browsers look for themselves after a flush (WebCodecs section 5.5).
          if (type === "key") decoder.flush().catch(() => undefined);
          decoder.decode(new EncodedVideoChunk({ type, timestamp: timestampUs, data }));
        },
        close: () => close(decoder),
      };
    },
  audio:
    ({ codec, sampleRate, channels }) =>
    (output, failed) => {
      // Chromium's decoder counts samples from its first packet on, whatever times later ones have: after a gap its times are wrong.
      const times: number[] = [];
      const decoder = new AudioDecoder({
        output: (data) => output({ data, timestampUs: times.shift() ?? data.timestamp }),
        error: (error) => failed(faultOf(error)),
      });
      decoder.configure({ codec, sampleRate, numberOfChannels: channels });
      return {
        get queued() {
          return decoder.decodeQueueSize;
        },
        decode: ({ timestampUs, data }) => {
          decoder.decode(new EncodedAudioChunk({ type: "key", timestamp: timestampUs, data }));
          times.push(timestampUs);
        },
        close: () => close(decoder),
      };
    },
};

function faultOf(error: unknown): DecoderFault {
  return error instanceof DOMException && error.name === "NotSupportedError" ? "unsupported" : "undecodable";
}

/** A decoder that has failed is closed by itself. */
function close(decoder: VideoDecoder | AudioDecoder): void {
  if (decoder.state !== "closed") decoder.close();
}
