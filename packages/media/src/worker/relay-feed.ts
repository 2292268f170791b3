import type { PublishedFrame, PublishingWish } from "@sealcast/protocol";
import type { Milli } from "@sealcast/time";
import { PUBLISHED } from "../shared/publication.ts";
import type { SealedFrame } from "./fan-out/sealed-frame.ts";
import { TransformStats } from "./track/transform-stats.ts";

type Sealed = Pick<SealedFrame, "data" | "mimeType" | "since" | "epoch" | "overhead" | "readable">;

/** What goes to relays, sealed: to a worker that has no key, over a port. */
export class RelayFeed {
  readonly #port: MessagePort;
  readonly #watched = new Set<string>();
  readonly #stats = { video: new TransformStats(PUBLISHED.video), audio: new TransformStats(PUBLISHED.audio) };

  /** `starts`: nothing of this track is at the relay, or someone begins to watch it. */
  constructor(port: MessagePort, starts: (track: string) => void) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<PublishingWish>) => {
      if (data.type === "watched" && !data.isWatched) return void this.#watched.delete(data.track);
      if (data.type === "watched") this.#watched.add(data.track);
      starts(data.track);
    };
  }

  get stats(): readonly TransformStats[] {
    return Object.values(this.#stats);
  }

  isWatched(track: string): boolean {
    return this.#watched.has(track);
  }

  /** `at`: when it came to the encoder. The relay's side gets a copy. */
  write(track: string, sealed: Sealed, { startsGroup, at }: { startsGroup: boolean; at: Milli }): void {
    const data = new Uint8Array(sealed.data.slice(0));
    const timestampUs = Math.round(1_000 * (performance.timeOrigin + at));
    this.#port.postMessage({ track, data, startsGroup, timestampUs } satisfies PublishedFrame, [data.buffer]);
    const stats = this.#stats[track.startsWith("video") ? "video" : "audio"];
    stats.came();
    stats.passed(sealed.since, { ...sealed, bytes: data.byteLength });
  }

  close(): void {
    this.#port.close();
  }
}
