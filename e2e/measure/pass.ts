import { expect } from "../stage/test.ts";

/** Lets this many milliseconds pass, in which something is measured. */
export async function pass(ms: number): Promise<void> {
  const end = Date.now() + ms;
  await expect.poll(() => Date.now() > end, { timeout: 2 * ms + 5_000, intervals: [500] }).toBe(true);
}
