import type { PublishedFrame, PublishingWish } from "@sealcast/protocol";
import { type Milli, systemClock } from "@sealcast/time";
import type { MediaKind } from "../shared/messages.ts";
import { PUBLISHED, SOUND_TRACK } from "../shared/publication.ts";
import type { SealedFrame } from "./fan-out/sealed-frame.ts";
import { TransformStats } from "./track/transform-stats.ts";
import type { WorkerLoad } from "./track/worker-load.ts";

type Sealed = Pick<
  SealedFrame,
  "data" | "clear" | "mimeType" | "since" | "encoding" | "epoch" | "overhead" | "readable"
>;

/** Frames of all sizes whose times are kept: viewers ask of them once they are shown, seconds later. */
const KEPT = 768;

/** What goes to relays, sealed: to a worker that has no key, over a port. */
export class RelayFeed {
  readonly #port: MessagePort;
  readonly #watched = new Set<string>();
  readonly #stats: Readonly<Record<MediaKind, TransformStats>>;

  /** `starts`: nothing of this track is at the relay, or someone begins to watch it. */
  constructor(port: MessagePort, load: WorkerLoad, starts: (track: string) => void) {
    this.#port = port;
    this.#stats = {
      video: new TransformStats(PUBLISHED.video, load, systemClock, KEPT),
      audio: new TransformStats(PUBLISHED.audio, load),
    };
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
    const stats = this.#stats[track === SOUND_TRACK ? "audio" : "video"];
    const { clear, mimeType, since, encoding } = sealed;
    const timed = { getMetadata: () => ({ rtpTimestamp: timestampUs }) };
    stats.came();
    stats.leaves(timed, { since, encoding, isKey: startsGroup, mimeType, clear, wire: sealed.data });
    stats.passed(since, { ...sealed, bytes: data.byteLength });
    const sealedAtMs = performance.timeOrigin + systemClock.now();
    this.#port.postMessage({ track, data, startsGroup, timestampUs, sealedAtMs } satisfies PublishedFrame, [
      data.buffer,
    ]);
  }

  close(): void {
    this.#port.close();
  }
}
