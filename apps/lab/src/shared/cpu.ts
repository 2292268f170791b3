import type { Bench } from "./experiment.ts";

/** Of one core, what a page's process uses while `work` goes on, and what `work` gives. */
export async function withCpu<T>(
  page: Pick<Bench, "cpuSeconds">,
  work: () => Promise<T>,
): Promise<[percent: number, T]> {
  const [before, since] = [await page.cpuSeconds(), performance.now()];
  const result = await work();
  return [(100_000 * ((await page.cpuSeconds()) - before)) / (performance.now() - since), result];
}
