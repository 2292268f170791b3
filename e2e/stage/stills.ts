import type { ChromiumPerson } from "./person.ts";

interface Watched {
  longestStill: number;
  pictures: number;
}

/** Runs in the page. Counts pictures and keeps for how long one stood still at most, from now on. */
export function watchStills(video: Element): void {
  const found = globalThis as unknown as Watched;
  Object.assign(found, { longestStill: 0, pictures: 0 });
  let last = performance.now();
  const next = (now: number) => {
    found.longestStill = Math.max(found.longestStill, now - last);
    found.pictures++;
    last = now;
    (video as HTMLVideoElement).requestVideoFrameCallback(next);
  };
  (video as HTMLVideoElement).requestVideoFrameCallback(next);
}

/** Pictures since `watchStills`. */
export const picturesOf = ({ page }: ChromiumPerson): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as Watched).pictures);

/** For how long a picture stood still at most since `watchStills`, as an annotation: nothing is asserted of it. */
export async function longestStill({ name, page }: ChromiumPerson): Promise<{ type: string; description: string }> {
  const still = await page.evaluate(() => (globalThis as unknown as Watched).longestStill);
  return { type: "latency", description: `${name}: still for ${still.toFixed()} ms at most` };
}
