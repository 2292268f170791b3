/** Buckets for each doubling of the value: the middle of a bucket is at most 1/32 away from what it holds. */
const STEPS = 16;
/** log2 of STEPS. */
const STEP_BITS = 4;
/** Longest time that has a bucket of its own: 2^26 - 1 us, 67 s. */
const LONGEST = 2 ** 26 - 1;
const BUCKETS = bucketOf(LONGEST) + 1;

/** A histogram's counts, to be posted to another thread and merged there. */
export type HistogramSnapshot = Float64Array<ArrayBuffer>;

/**
 * Times in microseconds, in buckets whose width grows with the value. Whole microseconds up to 31 are exact, longer
 * times are within 3.2 %, and what exceeds 67 s counts as 67 s. Memory is fixed (3 KB); recording allocates nothing.
 */
export class Histogram {
  readonly #counts = new Float64Array(BUCKETS);
  #count = 0;

  /** How many times were recorded. */
  get count(): number {
    return this.#count;
  }

  /** Rounds to whole microseconds. A negative time counts as 0: two clocks disagree. RangeError for NaN. */
  record(us: number): void {
    if (Number.isNaN(us)) throw new RangeError("NaN is not a time");
    const bucket = bucketOf(Math.round(Math.min(Math.max(us, 0), LONGEST)));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count++;
  }

  /** The time in microseconds that the share `q` (0..1) of all times does not exceed; NaN when none was recorded. */
  quantile(q: number): number {
    if (!(q >= 0 && q <= 1)) throw new RangeError(`quantile ${q} is not in 0..1`);
    let left = Math.max(1, Math.ceil(q * this.#count));
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return middleOf(bucket);
    }
    return Number.NaN;
  }

  /** Of all times, within 3.2 %; NaN when none was recorded. */
  get mean(): number {
    const sum = this.#counts.reduce((sum, count, bucket) => sum + count * middleOf(bucket), 0);
    return this.#count === 0 ? Number.NaN : sum / this.#count;
  }

  /** A copy of the counts. Its buffer may be transferred. */
  snapshot(): HistogramSnapshot {
    return this.#counts.slice();
  }

  /** Adds another histogram's times to these. RangeError when it has other buckets. */
  merge(snapshot: HistogramSnapshot): void {
    if (snapshot.length !== BUCKETS) throw new RangeError(`${snapshot.length} buckets, ${BUCKETS} expected`);
    for (const [bucket, count] of snapshot.entries()) {
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
      this.#count += count;
    }
  }

  reset(): void {
    this.#counts.fill(0);
    this.#count = 0;
  }
}

/** The first 2 x STEPS buckets hold one value each; from there the bucket's width doubles every STEPS buckets. */
function bucketOf(us: number): number {
  const shift = Math.max(0, 31 - STEP_BITS - Math.clz32(us));
  return STEPS * shift + (us >>> shift);
}

function middleOf(bucket: number): number {
  const shift = Math.max(0, Math.floor(bucket / STEPS) - 1);
  const first = (bucket - STEPS * shift) * 2 ** shift;
  return first + (2 ** shift - 1) / 2;
}
