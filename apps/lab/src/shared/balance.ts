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
