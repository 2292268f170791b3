/** Root mean square of what is heard as sound at all, -60 dB below full scale. */
const SOUND = 1e-3;
/** Between the highest and the lowest sample: below this nothing changes, which no suppressor makes of sound. */
const CHANGES = 1e-7;
const MOST_SECONDS = 3;

/** Finds a suppressor that gives nothing but silence, or nonsense, while there is sound: a dead microphone without an error. */
export class DeadOutput {
  #seconds = 0;

  /** One piece as it went in and as it came out. Whether three seconds of sound have come to nothing. */
  examine(input: Float32Array, output: Float32Array, sampleRate: number): boolean {
    if (changes(output)) this.#seconds = 0;
    else if (loudness(input) > SOUND) this.#seconds += input.length / sampleRate;
    return this.#seconds >= MOST_SECONDS;
  }
}

function changes(samples: Float32Array): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const sample of samples) {
    if (!Number.isFinite(sample)) return false;
    least = Math.min(least, sample);
    most = Math.max(most, sample);
  }
  return most - least > CHANGES;
}

function loudness(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / samples.length);
}
