/** The value that the share `q` (0..1) of all values does not exceed; NaN where there is none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] ?? Number.NaN;
}

/** NaN where there is none. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The middle one; of an even number the higher one in the middle. NaN where there is none. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** To this many digits after the point. */
export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
