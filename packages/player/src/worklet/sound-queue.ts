/** Decoded sound, captured from `atMs` on. */
interface Piece {
  readonly atMs: number;
  readonly channels: readonly Float32Array[];
}

/** Times of pieces that follow one another differ by this much, since they are taken when a piece was captured. */
const CONTIGUOUS_MS = 15;
const MOST_QUEUED_MS = 3_000;
/** Samples in which sound comes in after silence, so that it does not click. */
const FADE = 96;
const DECAY = 0.96;

/** Sound by the time at which it was captured. Time runs on where there is none: then it gives silence. */
export class SoundQueue {
  readonly #rate: number;
  #pieces: Piece[] = [];
  /** Samples of the first piece that were read; null: what is read now is silence. */
  #offset: number | null = null;
  #atMs = 0;
  #gain = 0;
  readonly #last: number[] = [];
  #isStarved = true;
  underruns = 0;

  constructor(sampleRate: number) {
    this.#rate = sampleRate;
  }

  /** The captured time of the next sample. */
  get atMs(): number {
    return this.#atMs;
  }

  /** The last read had silence since nothing was there. */
  get isStarved(): boolean {
    return this.#isStarved;
  }

  seek(atMs: number): void {
    this.#atMs = atMs;
    this.#offset = null;
  }

  /** Nothing of what it has is played any more. */
  clear(): void {
    this.#pieces = [];
    this.#offset = null;
    this.#gain = 0;
    this.#isStarved = true;
  }

  /** Pieces come in order of time; one that does not, or is too much, is left out. */
  push(piece: Piece): void {
    const last = this.#pieces.at(-1);
    if (last !== undefined && piece.atMs < this.#endOf(last) - CONTIGUOUS_MS) return;
    if (last !== undefined && this.#endOf(last) - (this.#pieces[0]?.atMs ?? 0) > MOST_QUEUED_MS) return;
    this.#pieces.push(piece);
  }

  /** Writes `count` samples to each of `into`, from `from` on. */
  read(into: readonly Float32Array[], from: number, count: number): void {
    for (let done = 0; done < count; ) {
      if (this.#offset === null) this.#enter();
      const piece = this.#pieces[0];
      if (this.#offset !== null && piece !== undefined)
        done += this.#sound(piece, this.#offset, into, from + done, count - done);
      else done += this.#silence(piece, into, from + done, count - done);
    }
  }

  /** Begins the piece whose turn it is, where there is one. */
  #enter(): void {
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      if (this.#endOf(piece) > this.#atMs) {
        const offset = this.#samples(this.#atMs - piece.atMs);
        if (offset >= 0) this.#offset = offset;
        return;
      }
      this.#pieces.shift();
    }
  }

  #sound(piece: Piece, offset: number, into: readonly Float32Array[], from: number, most: number): number {
    const length = piece.channels[0]?.length ?? 0;
    const count = Math.min(most, length - offset);
    for (const [at, channel] of into.entries()) {
      const source = piece.channels[at] ?? piece.channels[0] ?? NOTHING;
      channel.set(source.subarray(offset, offset + count), from);
      this.#fadeIn(channel, from, count);
      if (count > 0) this.#last[at] = channel[from + count - 1] ?? 0;
    }
    this.#gain = Math.min(1, this.#gain + count / FADE);
    this.#isStarved = false;
    this.#offset = offset + count;
    this.#atMs = piece.atMs + (1_000 * this.#offset) / this.#rate;
    if (this.#offset >= length) this.#leave();
    return count;
  }

  #leave(): void {
    this.#pieces.shift();
    const next = this.#pieces[0];
    const isContiguous = next !== undefined && Math.abs(next.atMs - this.#atMs) <= CONTIGUOUS_MS;
    this.#offset = isContiguous ? 0 : null;
    if (isContiguous) this.#atMs = next.atMs;
  }

  #fadeIn(channel: Float32Array, from: number, count: number): void {
    const faded = Math.min(count, Math.ceil((1 - this.#gain) * FADE));
    for (let i = 0; i < faded; i++) channel[from + i] = (channel[from + i] ?? 0) * (this.#gain + i / FADE);
  }

  #silence(next: Piece | undefined, into: readonly Float32Array[], from: number, most: number): number {
    if (next === undefined && !this.#isStarved) this.underruns++;
    this.#isStarved = next === undefined;
    this.#gain = 0;
    const gap = next === undefined ? most : Math.max(1, this.#samples(next.atMs - this.#atMs));
    const count = Math.min(most, gap);
    for (const [at, channel] of into.entries()) {
      let last = this.#last[at] ?? 0;
      for (let i = from; i < from + count; i++) {
        last *= DECAY;
        channel[i] = last;
      }
      this.#last[at] = Math.abs(last) < 1e-6 ? 0 : last;
    }
    this.#atMs += (1_000 * count) / this.#rate;
    return count;
  }

  #samples(ms: number): number {
    return Math.round((ms * this.#rate) / 1_000);
  }

  #endOf(piece: Piece): number {
    return piece.atMs + (1_000 * (piece.channels[0]?.length ?? 0)) / this.#rate;
  }
}

const NOTHING = new Float32Array(0);
