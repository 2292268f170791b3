/** A random number below 2^32. */
export function draw(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return drawn;
}
