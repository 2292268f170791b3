import type { ToSound } from "../shared/messages.ts";
import { SoundOutput } from "./sound-output.ts";

declare const sampleRate: number;
declare const currentTime: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

/** What Opus decodes to. */
const SOUND_RATE = 48_000;

/** Its first message is the port to a `StreamPlayer`. */
class StreamSound extends AudioWorkletProcessor {
  #output: SoundOutput | null = null;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<MessagePort>) => {
      const output = new SoundOutput(sampleRate, SOUND_RATE, (report) => data.postMessage(report));
      data.onmessage = ({ data: message }: MessageEvent<ToSound>) => output.hear(message);
      this.#output = output;
    };
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    this.#output?.render(outputs[0] ?? [], 1_000 * currentTime);
    return this.#output?.isClosed !== true;
  }
}

registerProcessor("stream-sound", StreamSound);
