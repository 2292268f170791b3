/**
 * The orders in which to run things that are compared, round by round: each order is followed by its mirror image, and
 * then everything moves up by one place, so that neither drift nor what ran just before favours any of them.
 */
export function balanced<T>(things: readonly T[], rounds: number): T[][] {
  return Array.from({ length: rounds }, (_, round) => {
    const shift = (round >> 1) % things.length;
    const order = [...things.slice(shift), ...things.slice(0, shift)];
    return round % 2 === 0 ? order : order.reverse();
  });
}

/** The value that the share `q` (0..1) of all values does not exceed; NaN where there is none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] ?? Number.NaN;
}

/** NaN where there is none. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
