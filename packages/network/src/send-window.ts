import { type Milli, milli } from "@sealcast/time";
import { MAX_FILE_MESSAGE } from "./file-messages.ts";

/** Parts that a window has room for at first: few, since the network is unknown. */
const FIRST_PARTS = 4;
/** By how much parts may lengthen the queue that sound and video wait in too. */
const TARGET = milli(60);
/** The shortest delay counts for this long, and then the shortest since: networks change. */
const BASE_FOR = milli(60_000);
/** The shortest of the latest few is the network's delay: a busy page or processor adds to single ones. */
const LATEST = { most: 8, within: milli(400) };
/** Parts that may always be on their way: a delay that is all the processor's would leave next to nothing. */
const FEWEST = 2 * MAX_FILE_MESSAGE;
/** Bytes a second at most: on a fast network, parts leave the processor to sound and video. */
const MOST_PER_SECOND = 12_000_000;
/** Bytes on their way at most, however long the way. */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * How many bytes of files may be on their way to one other end. It gives way to sound and video: as soon as the delay rises over the
 * shortest one, fewer are sent (as in LEDBAT, RFC 6817). Nothing in it waits for a timer: a hidden page's are slow.
 */
export class SendWindow {
  #bytes = FIRST_PARTS * MAX_FILE_MESSAGE;
  #onTheirWay = 0;
  #isStarting = true;
  #base = { now: Number.POSITIVE_INFINITY, before: Number.POSITIVE_INFINITY, since: milli(0) };
  #latest: { delay: Milli; at: Milli }[] = [];

  /** Bytes that may be on their way at present. */
  get bytes(): number {
    return this.#bytes;
  }

  /** One more part may leave. */
  get hasRoom(): boolean {
    return this.#onTheirWay + MAX_FILE_MESSAGE <= this.#bytes;
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
    this.#bytes = Math.max(FEWEST, Math.min(this.#bytes, MOST_BYTES, fastest));
  }

  /** Within one round trip: twice as much at the start, one part more later, half at worst. */
  #growth(arrived: number, excess: number): number {
    if (excess > 0.5) this.#isStarting = false;
    if (this.#isStarting) return arrived;
    if (excess > 1) return -Math.min(0.5, excess - 1) * arrived;
    return (1 - excess) * MAX_FILE_MESSAGE * (arrived / this.#bytes);
  }

  #measured(delay: Milli, now: Milli): number {
    const base = this.#base;
    if (now - base.since > BASE_FOR) this.#base = { now: delay, before: base.now, since: now };
    else base.now = Math.min(base.now, delay);
    const latest = this.#latest.filter(({ at }) => now - at < LATEST.within);
    this.#latest = [...latest.slice(1 - LATEST.most), { delay, at: now }];
    return Math.min(...this.#latest.map((one) => one.delay));
  }
}
