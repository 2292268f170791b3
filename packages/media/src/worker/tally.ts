import type { DropReason } from "@sealcast/frame";
import { Histogram } from "@sealcast/metrics";
import type { TrackReport } from "../shared/messages.ts";

/** A frame that passed. */
interface Passed {
  epoch: number;
  mimeType: string | undefined;
  /** On the way. */
  bytes: number;
  overhead: number;
  readable: boolean;
  /** It took a stand-in's place. */
  carried?: true;
}

/** What happened to one transform's frames. */
export class Tally {
  readonly #id: string;
  readonly #times = new Histogram();
  readonly #refused = new Map<string, { why: DropReason; epoch: number | null; count: number }>();
  #frames = 0;
  #bytes = 0;
  #readable = 0;
  #carried = 0;
  #leftOut = 0;
  #codec: string | null = null;
  #epoch: number | null = null;
  #overhead = 0;

  constructor(id: string) {
    this.#id = id;
  }

  /** A frame passed; `since` is when its work began, on performance.now()'s clock. */
  passed(since: number, { epoch, mimeType, bytes, overhead, readable, carried }: Passed): void {
    this.#times.record((performance.now() - since) * 1000);
    this.#frames++;
    this.#bytes += bytes;
    if (readable) this.#readable++;
    if (carried) this.#carried++;
    this.#epoch = epoch;
    this.#codec = mimeType ?? null;
    this.#overhead = overhead;
  }

  /** A stand-in went nowhere. */
  leftOut(): void {
    this.#leftOut++;
  }

  refused(why: DropReason, epoch: number | null): void {
    const key = `${epoch} ${why}`;
    const entry = this.#refused.get(key);
    if (entry !== undefined) entry.count++;
    else this.#refused.set(key, { why, epoch, count: 1 });
  }

  report(): TrackReport {
    return {
      id: this.#id,
      codec: this.#codec,
      epoch: this.#epoch,
      frames: this.#frames,
      bytes: this.#bytes,
      readable: this.#readable,
      carried: this.#carried,
      leftOut: this.#leftOut,
      refused: [...this.#refused.values()],
      p50: this.#frames && this.#times.quantile(0.5),
      p95: this.#frames && this.#times.quantile(0.95),
      overhead: this.#overhead,
    };
  }
}
