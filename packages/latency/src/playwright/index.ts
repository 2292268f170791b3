import { writeFile } from "node:fs/promises";
import { type BrowserContext, test as base, type Locator } from "@playwright/test";
import { type Latency, latencyOf } from "../shared/latency.ts";
import type { LatencyProbe } from "../shared/probe.ts";
import { type ReportAbout, reportOf } from "../shared/report.ts";
import type { Sighting } from "../shared/sighting.ts";
import { probeScript } from "./probe-script.ts";

export type { Latency };

/** A camera that needs no device and asks nobody. With none named it shows Chromium's own pattern. */
const CAMERA = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"];

interface Terms {
  /** How long to measure, from the first stamped picture on. */
  readonly seconds: number;
  /** Until then the video has to show one. */
  readonly firstWithinSeconds?: number;
  /** Path of a file that the measurement is also written to, as a report that Sealcast's dashboard opens. */
  readonly report?: string;
}

/** What a page saw, and what it says of itself. */
interface Watched {
  readonly sightings: Sighting[];
  readonly about: ReportAbout;
}

/** Measures from camera to screen, of pages of one computer. */
export interface LatencyMeasuring {
  /** Has the pages that this context opens from now on stamp what their cameras give. That of the test does already. */
  stampCameras(context: BrowserContext): Promise<void>;
  /** Of what a `<video>` shows. Rejects when it shows no picture from a stamped camera. */
  of(video: Locator, terms: Terms): Promise<Latency>;
}

/** Playwright's test with a stamped camera in its pages, and `latency` to measure with. */
export const test = base.extend<{ latency: LatencyMeasuring }, { latencyProbe: string }>({
  launchOptions: [
    async ({ launchOptions }, use) => use({ ...launchOptions, args: [...(launchOptions.args ?? []), ...CAMERA] }),
    { scope: "worker" },
  ],
  latencyProbe: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from it what a fixture needs.
    async ({}, use) => use(await probeScript()),
    { scope: "worker" },
  ],
  context: async ({ context, latencyProbe }, use) => {
    await context.addInitScript({ content: latencyProbe });
    await use(context);
  },
  latency: async ({ latencyProbe }, use) => {
    await use({
      stampCameras: async (context) => void (await context.addInitScript({ content: latencyProbe })),
      of: async (video, { seconds, firstWithinSeconds = 30, report }) => {
        const { sightings, about } = await watched(video, 1_000 * seconds, 1_000 * firstWithinSeconds);
        if (report !== undefined) await writeFile(report, reportOf(sightings, about));
        return latencyOf(sightings);
      },
    });
  },
});

function watched(video: Locator, ms: number, firstWithinMs: number): Promise<Watched> {
  return video.evaluate(
    async (element, [ms, firstWithinMs]) => {
      const { latencyProbe } = globalThis as unknown as { latencyProbe?: LatencyProbe };
      if (latencyProbe === undefined) throw new Error("This page was opened before its context got stamped cameras.");
      return { sightings: await latencyProbe.watch(element, ms, firstWithinMs), about: latencyProbe.about() };
    },
    [ms, firstWithinMs] as const,
  );
}
