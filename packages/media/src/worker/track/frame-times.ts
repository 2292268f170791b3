import { FRAME_TIMES } from "../../shared/timings.ts";

/** Four seconds of video, over two of sound. */
const KEPT = 128;

/** The times of the last frames of a track. Memory is fixed: 5 KB. */
export class FrameTimes {
  readonly #rows = new Float64Array(KEPT * FRAME_TIMES);
  #count = 0;

  /** In the order of TrackTimings.frames. */
  add(row: readonly number[]): void {
    this.#rows.set(row, (this.#count % KEPT) * FRAME_TIMES);
    this.#count++;
  }

  /** A copy, the oldest first. */
  get all(): Float64Array<ArrayBuffer> {
    if (this.#count <= KEPT) return this.#rows.slice(0, this.#count * FRAME_TIMES);
    const oldest = (this.#count % KEPT) * FRAME_TIMES;
    const rows = new Float64Array(this.#rows.length);
    rows.set(this.#rows.subarray(oldest));
    rows.set(this.#rows.subarray(0, oldest), this.#rows.length - oldest);
    return rows;
  }
}
