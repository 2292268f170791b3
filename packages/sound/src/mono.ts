import { Resampler } from "./resampler.ts";

/** Sound as one channel at one rate, in whatever channels and rates it comes. */
export class Mono {
  readonly #rate: number;
  #resampler: { from: number; of: Resampler } | null = null;

  /** @param rate samples a second of what comes out */
  constructor(rate: number) {
    this.#rate = rate;
  }

  /**
   * @param sound the next piece, which stays the caller's to close
   * @returns the mean of its channels; at another rate, all samples that are whole by now
   */
  push(sound: AudioData): Float32Array<ArrayBuffer> {
    const mean = meanOfChannels(sound);
    const from = sound.sampleRate;
    if (from === this.#rate) return mean;
    if (this.#resampler?.from !== from) this.#resampler = { from, of: new Resampler(from, this.#rate) };
    return this.#resampler.of.push(mean);
  }
}

function meanOfChannels(sound: AudioData): Float32Array<ArrayBuffer> {
  const { numberOfFrames, numberOfChannels } = sound;
  const mean = new Float32Array(numberOfFrames);
  const one = new Float32Array(numberOfFrames);
  for (let planeIndex = 0; planeIndex < numberOfChannels; planeIndex++) {
    sound.copyTo(one, { planeIndex, format: "f32-planar" });
    for (let i = 0; i < numberOfFrames; i++) mean[i] = (mean[i] ?? 0) + (one[i] ?? 0) / numberOfChannels;
  }
  return mean;
}
