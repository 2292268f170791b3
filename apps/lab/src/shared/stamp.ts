/**
 * A number drawn into a picture as a row of squares, black or white, which any video codec keeps: 16 bits and then the
 * same bits the other way round, so that a damaged row is told from a number.
 */
const BITS = 16;
/** Of a luma of 0..255. */
const MIDDLE = 128;

/** Squares in the row. */
export const SQUARES = 2 * BITS;
/** Stamps count up to here and begin again. */
export const STAMPS = 2 ** BITS;

/** Which squares of a number are white. */
export function squares(number: number): boolean[] {
  const bits = Array.from({ length: BITS }, (_, bit) => ((number >> bit) & 1) === 1);
  return [...bits, ...bits.map((bit) => !bit)];
}

/** The number of a row by the luma of its squares; null where there is none. */
export function stampOf(lumas: readonly number[]): number | null {
  const white = lumas.map((luma) => luma >= MIDDLE);
  if (white.length !== SQUARES || white.some((bit, i) => bit === white[(i + BITS) % SQUARES])) return null;
  return white.slice(0, BITS).reduce((number, bit, i) => number + (bit ? 2 ** i : 0), 0);
}

/** A stamped picture and when it was drawn or seen, in milliseconds. */
export type Sighting = readonly [stamp: number, at: number];

/** How long each picture took that was both drawn and seen, on one clock; a picture that is seen twice counts once. */
export function delays(drawn: readonly Sighting[], seen: readonly Sighting[]): number[] {
  const since = new Map(drawn);
  const delays: number[] = [];
  for (const [stamp, at] of seen) {
    const from = since.get(stamp);
    if (from !== undefined) delays.push(at - from);
    since.delete(stamp);
  }
  return delays;
}
