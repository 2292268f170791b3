import { joined } from "./joined.ts";

/** On each side of a sample, in periods of the highest frequency that is left. */
const ZERO_CROSSINGS = 12;
/** Of the frequencies that fit. The rest is the filter's slope. */
const KEPT = 0.92;

/**
 * Brings sound of one channel to another rate, piece by piece, by a windowed sinc: what lies above half of a lower rate is
 * taken out first, or it would sound as something else.
 */
export class Resampler {
  /** A kernel for each place that a sample can have between two others. */
  readonly #kernels: readonly Float32Array[];
  readonly #reach: number;
  /** From one sample to the next: `#step / #kernels.length` of those that come in. */
  readonly #step: number;
  #phase = 0;
  /** What the next sample still needs. */
  #kept: Float32Array;

  /** From that many samples a second to that many. */
  constructor(from: number, to: number) {
    const common = greatestCommonDivisor(from, to);
    this.#step = from / common;
    const narrowed = Math.max(1, from / to);
    this.#reach = Math.ceil(ZERO_CROSSINGS * narrowed);
    const places = to / common;
    this.#kernels = Array.from({ length: places }, (_, at) => kernel(at / places, this.#reach, KEPT / narrowed));
    this.#kept = new Float32Array(this.#reach - 1);
  }

  /** @returns all samples that are whole by now. */
  push(piece: Float32Array): Float32Array<ArrayBuffer> {
    const sound = joined([this.#kept, piece]);
    const made = new Float32Array(Math.ceil((sound.length * this.#kernels.length) / this.#step) + 1);
    let [at, count] = [this.#reach - 1, 0];
    for (; at + this.#reach < sound.length; count++) {
      made[count] = weighed(sound, at - this.#reach + 1, this.#kernels[this.#phase] ?? NOTHING);
      this.#phase += this.#step;
      at += Math.floor(this.#phase / this.#kernels.length);
      this.#phase %= this.#kernels.length;
    }
    this.#kept = sound.slice(at - this.#reach + 1);
    return made.subarray(0, count);
  }
}

const NOTHING = new Float32Array(0);

function weighed(sound: Float32Array, from: number, by: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < by.length; i++) sum += (sound[from + i] ?? 0) * (by[i] ?? 0);
  return sum;
}

/** Of `2 * reach` samples around the place `offset` after the middle one; they sum to 1. `cutoff` 1: all frequencies. */
function kernel(offset: number, reach: number, cutoff: number): Float32Array {
  const weights = Float32Array.from({ length: 2 * reach }, (_, i) => {
    const away = i - (reach - 1) - offset;
    const x = Math.PI * away * cutoff;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * away) / reach);
    return (x === 0 ? 1 : Math.sin(x) / x) * window;
  });
  const sum = weights.reduce((before, weight) => before + weight, 0);
  return weights.map((weight) => weight / sum);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
