import { LinkStats } from "../peer/link-stats.ts";

/** The browser's own counters of one sender or receiver of the relay's connections. */
export class TrackStats extends LinkStats {
  /** Of its line; null before it was counted. */
  get mid(): string | null {
    return this.latest.entries.find(({ mid }) => mid !== undefined)?.mid ?? null;
  }
}
