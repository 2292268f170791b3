import type { PlayerFrame } from "../shared/messages.ts";
import type { Drops } from "./drops.ts";
import { captured } from "./video-buffer.ts";

/** Twelve seconds of packets of 20 ms. */
const MOST_FRAMES = 600;
const MOST_BYTES = 4 << 20;
/** A packet that is over by so much is late: none is longer. */
const MOST_PACKET_MS = 60;

/** Encoded sound that waits for its time, in the order in which it came: times are a relay's word, and change no order. */
export class SoundBuffer {
  readonly #drops: Drops;
  readonly #frames: PlayerFrame[] = [];
  #bytes = 0;
  /** The time of what came last and was not late. */
  #newestMs = Number.NEGATIVE_INFINITY;

  constructor(drops: Drops) {
    this.#drops = drops;
  }

  push(frame: PlayerFrame): void {
    if (captured(frame) <= this.#newestMs) return this.#drops.count("late");
    this.#newestMs = captured(frame);
    this.#frames.push(frame);
    this.#bytes += frame.data.length;
    while (this.#frames.length > MOST_FRAMES || this.#bytes > MOST_BYTES) {
      this.#shift();
      this.#drops.count("overflow");
    }
  }

  /** The next frame to decode, up to `aheadMs` before its time; null: none yet. */
  take(playedMs: number, aheadMs: number): PlayerFrame | null {
    for (let frame = this.#frames[0]; frame !== undefined; frame = this.#frames[0]) {
      if (captured(frame) > playedMs + aheadMs) return null;
      this.#shift();
      if (captured(frame) + MOST_PACKET_MS > playedMs) return frame;
      this.#drops.count("late");
    }
    return null;
  }

  #shift(): void {
    this.#bytes -= this.#frames.shift()?.data.length ?? 0;
  }
}
