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
    while (fails - holds > Math.max(1, precision * holds)) {
      const middle = (holds + fails) >> 1;
      if ((yield middle) || (yield middle)) holds = middle;
      else fails = middle;
    }
  } while (yield fails);
  return holds;
}
