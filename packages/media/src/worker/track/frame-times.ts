import { FRAME_TIMES } from "../../shared/timings.ts";

/** The times of the last frames of a track. Memory is fixed: 40 bytes a frame. */
export class FrameTimes {
  readonly #kept: number;
  readonly #rows: Float64Array<ArrayBuffer>;
  #count = 0;

  /** `kept`: frames. */
  constructor(kept: number) {
    this.#kept = kept;
    this.#rows = new Float64Array(kept * FRAME_TIMES);
  }

  /** In the order of TrackTimings.frames. */
  add(row: readonly number[]): void {
    this.#rows.set(row, (this.#count % this.#kept) * FRAME_TIMES);
    this.#count++;
  }

  /** A copy, the oldest first. */
  get all(): Float64Array<ArrayBuffer> {
    if (this.#count <= this.#kept) return this.#rows.slice(0, this.#count * FRAME_TIMES);
    const oldest = (this.#count % this.#kept) * FRAME_TIMES;
    const rows = new Float64Array(this.#rows.length);
    rows.set(this.#rows.subarray(oldest));
    rows.set(this.#rows.subarray(0, oldest), this.#rows.length - oldest);
    return rows;
  }
}
