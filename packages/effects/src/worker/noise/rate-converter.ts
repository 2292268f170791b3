/** Brings sound of one rate to another, piece by piece, by straight lines between samples: a voice is far below half of either. */
export class RateConverter {
  readonly #step: number;
  /** Of the next sample that comes out, counted from the last one that went in before. */
  #at: number;
  #last = 0;

  constructor(from: number, to: number) {
    this.#step = from / to;
    this.#at = 1;
  }

  /** What there is of the piece at the other rate; the rest of it comes with the next one. */
  push(piece: Float32Array): Float32Array<ArrayBuffer> {
    const count = Math.max(0, Math.floor((piece.length - this.#at) / this.#step) + 1);
    const out = new Float32Array(count);
    const sample = (index: number) => (index === 0 ? this.#last : (piece[index - 1] ?? 0));
    for (let i = 0; i < count; i++) {
      const at = this.#at + i * this.#step;
      const left = Math.floor(at);
      const right = Math.min(left + 1, piece.length);
      out[i] = sample(left) + (sample(right) - sample(left)) * (at - left);
    }
    this.#at += count * this.#step - piece.length;
    this.#last = piece.at(-1) ?? this.#last;
    return out;
  }
}
