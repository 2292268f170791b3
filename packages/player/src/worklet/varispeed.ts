/** Samples on which each sample that is made depends. */
const TAPS = 4;

/** Plays samples a little faster or slower, by cubic interpolation between them. Three samples late. */
export class Varispeed {
  readonly #read: (into: readonly Float32Array[], from: number, count: number) => void;
  readonly #source: readonly Float32Array[];
  /** Where the next sample lies between two, 0 to 1. */
  #phase = 0;
  /** Samples that are read for each that is made: 0.5 to 2. */
  rate = 1;

  /**
   * @param most samples that are asked for at once
   * @param read gives the next `count` samples of each channel, from `from` on
   */
  constructor(
    channels: number,
    most: number,
    read: (into: readonly Float32Array[], from: number, count: number) => void,
  ) {
    this.#read = read;
    this.#source = Array.from({ length: channels }, () => new Float32Array(TAPS + 2 * most + 1));
  }

  /** Fills each of `outputs`; all are of one length. */
  render(outputs: readonly Float32Array[]): void {
    const length = outputs[0]?.length ?? 0;
    const end = this.#phase + length * this.rate;
    const count = Math.floor(end);
    this.#read(this.#source, TAPS, count);
    for (const [channel, output] of outputs.entries()) this.#interpolate(this.#source[channel] ?? output, output);
    for (const source of this.#source) source.copyWithin(0, count, count + TAPS);
    this.#phase = end - count;
  }

  #interpolate(source: Float32Array, output: Float32Array): void {
    for (let i = 0; i < output.length; i++) {
      const place = this.#phase + i * this.rate;
      const at = Math.floor(place);
      output[i] = cubic(source, at, place - at);
    }
  }
}

/** Catmull-Rom: between the second and third of four samples. */
function cubic(source: Float32Array, at: number, x: number): number {
  const [a, b, c, d] = [source[at] ?? 0, source[at + 1] ?? 0, source[at + 2] ?? 0, source[at + 3] ?? 0];
  return b + 0.5 * x * (c - a + x * (2 * a - 5 * b + 4 * c - d + x * (3 * (b - c) + d - a)));
}
