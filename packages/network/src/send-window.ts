import { type Milli, milli } from "@sealcast/time";
import { PART_BYTES } from "./file-messages.ts";

/** Parts that a window has room for at first: few, since the network is unknown. */
const FIRST_PARTS = 4;
/** By how much parts may lengthen the queue that sound and video wait in too. */
const TARGET = milli(50);
/** The shortest delay counts for this long, and then the shortest since: networks change. */
const BASE_FOR = milli(60_000);
/** The shortest of the latest few is the network's delay: a busy page adds to single ones. */
const LATEST = 4;
/** Bytes a second at most: on a fast network, parts leave the processor to sound and video. */
const MOST_PER_SECOND = 12_000_000;
/** Bytes on their way at most, however long the way. */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * How many bytes of files may be on their way to one other end. It gives way to sound and video: as soon as the delay rises over the
 * shortest one, fewer are sent (as in LEDBAT, RFC 6817). Nothing in it waits for a timer: a hidden page's are slow.
 */
export class SendWindow {
  #bytes = FIRST_PARTS * PART_BYTES;
  #onTheirWay = 0;
  #isStarting = true;
  #base = { now: Number.POSITIVE_INFINITY, before: Number.POSITIVE_INFINITY, since: milli(0) };
  #latest: number[] = [];

  /** Bytes that may be on their way at present. */
  get bytes(): number {
    return this.#bytes;
  }

  /** One more part may leave. One may always be on its way. */
  get hasRoom(): boolean {
    return this.#onTheirWay === 0 || this.#onTheirWay + PART_BYTES <= this.#bytes;
  }

  sent(bytes: number): void {
    this.#onTheirWay += bytes;
  }

  /** The other end has `bytes` more, of which the last were on their way for `delay`. */
  arrived(bytes: number, delay: Milli, now: Milli): void {
    this.#onTheirWay -= bytes;
    const shortest = this.#measured(delay, now);
    const excess = (shortest - Math.min(this.#base.now, this.#base.before)) / TARGET;
    this.#bytes += this.#growth(bytes, excess);
    const fastest = (MOST_PER_SECOND * shortest) / 1_000;
    this.#bytes = Math.max(PART_BYTES, Math.min(this.#bytes, MOST_BYTES, Math.max(fastest, 2 * PART_BYTES)));
  }

  /** Within one round trip: twice as much at the start, one part more later, half at worst. */
  #growth(arrived: number, excess: number): number {
    if (excess > 0.5) this.#isStarting = false;
    if (this.#isStarting) return arrived;
    if (excess > 1) return -Math.min(0.5, excess - 1) * arrived;
    return (1 - excess) * PART_BYTES * (arrived / this.#bytes);
  }

  #measured(delay: Milli, now: Milli): number {
    const base = this.#base;
    if (now - base.since > BASE_FOR) this.#base = { now: delay, before: base.now, since: now };
    else base.now = Math.min(base.now, delay);
    this.#latest = [...this.#latest.slice(1 - LATEST), delay];
    return Math.min(...this.#latest);
  }
}
