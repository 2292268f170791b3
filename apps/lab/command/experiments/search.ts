/**
 * Finds the largest count that holds: yields a count, is told whether it held, and returns the result. Doubles from
 * `first` on, then bisects until the gap is `precision` of the count. A count that did not hold gets a second chance,
 * since a busy moment of the machine is not a limit of what is measured, and the last bound gets one more: it may have
 * been met long before, in a busy spell.
 */
export function* search(first: number, precision: number): Generator<number, number, boolean> {
  let holds = 0;
  let fails = first;
  do {
    while ((yield fails) || (yield fails)) {
      holds = fails;
      fails *= 2;
    }
    [holds, fails] = yield* bisect(holds, fails, precision);
  } while (yield fails);
  return holds;
}

/**
 * Narrows the gap between a count that holds and a larger one that does not to `precision` of the former, or to 1. As in
 * `search`, a count gets a second chance. Returns both ends of the gap.
 */
export function* bisect(
  holds: number,
  fails: number,
  precision: number,
): Generator<number, [holds: number, fails: number], boolean> {
  if (fails - holds <= Math.max(1, precision * holds)) return [holds, fails];
  const middle = (holds + fails) >> 1;
  return (yield middle) || (yield middle)
    ? yield* bisect(middle, fails, precision)
    : yield* bisect(holds, middle, precision);
}
