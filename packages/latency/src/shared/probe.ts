import type { ReportAbout } from "./report.ts";
import type { Sighting } from "./sighting.ts";

/** What runs in a measured page before its own scripts leaves this there, as `globalThis.latencyProbe`. */
export interface LatencyProbe {
  /**
   * What a video element shows during this many milliseconds from its first stamped frame on. Rejects when there is no such
   * picture in time.
   */
  watch(video: unknown, ms: number, firstWithinMs: number): Promise<Sighting[]>;
  /** What a report says of the page. */
  about(): ReportAbout;
}
