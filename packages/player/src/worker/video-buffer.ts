import type { PlayerFrame } from "../shared/messages.ts";
import type { Drops } from "./drops.ts";

/** Ten seconds of 60 frames a second. */
const MOST_FRAMES = 600;
const MOST_BYTES = 32 << 20;
/** Another group's key frame that follows this soon has nothing between: it needs not wait for its time. */
const FOLLOWS_MS = 60;
/** How long before its time a key frame is taken although frames before it are still missing. */
const LAST_CALL_MS = 20;

/** Frames of one group that have come and were not taken. */
interface Group {
  readonly frames: PlayerFrame[];
  /** The index of the frame that has to come next; null: one is missing, so what comes is of no use. */
  expected: number | null;
}

/** Encoded video that waits for its time: at most the time until then, and no more frames and bytes than a cap. */
export class VideoBuffer {
  readonly #drops: Drops;
  /** In order of time; the first one is being taken from. */
  readonly #groups = new Map<number, Group>();
  /** What was taken last. */
  #group = -1;
  #takenMs: number | null = null;
  #frames = 0;
  #bytes = 0;

  constructor(drops: Drops) {
    this.#drops = drops;
  }

  /** Frames that wait. */
  get length(): number {
    return this.#frames;
  }

  push(frame: PlayerFrame): void {
    if (frame.group < this.#group || (frame.group === this.#group && !this.#groups.has(frame.group)))
      return this.#drops.count("late");
    const group = this.#groups.get(frame.group) ?? { frames: [], expected: 0 };
    if (group.expected !== frame.index) {
      group.expected = null;
      this.#groups.set(frame.group, group);
      return this.#drops.count("incomplete-group");
    }
    group.expected++;
    group.frames.push(frame);
    this.#groups.set(frame.group, group);
    this.#frames++;
    this.#bytes += frame.data.length;
    this.#keepSmall();
  }

  /**
   * The next frame to decode; null: none yet. A frame of another group than the one before is a key frame.
   *
   * @param playedMs the captured time that is played now
   * @param aheadMs how long before its time a frame is taken
   */
  take(playedMs: number, aheadMs: number): PlayerFrame | null {
    this.#skipTo(this.#newestDue(playedMs));
    const frame = this.#groups.get(this.#group)?.frames[0];
    if (frame !== undefined) return captured(frame) <= playedMs + aheadMs ? this.#taken(frame) : null;
    const key = this.#nextKey();
    if (key === undefined) return null;
    const follows = this.#takenMs === null || captured(key) - this.#takenMs <= FOLLOWS_MS;
    if (captured(key) > playedMs + (follows ? aheadMs : LAST_CALL_MS)) return null;
    this.#skipTo(key.group);
    return this.#taken(key);
  }

  /** Nothing more of the group from which was taken last. */
  leaveGroup(): void {
    this.#forget(this.#group, "undecodable");
  }

  clear(reason: "hidden" | "late"): void {
    for (const number of [...this.#groups.keys()]) {
      this.#forget(number, reason);
      this.#group = Math.max(this.#group, number);
    }
  }

  /** The newest group whose turn it is, in place of frames before it that are late. */
  #newestDue(playedMs: number): number {
    let newest = this.#group;
    for (const [number, { frames }] of this.#groups) {
      const [key] = frames;
      if (number > newest && key?.index === 0 && captured(key) <= playedMs) newest = number;
    }
    return newest;
  }

  #nextKey(): PlayerFrame | undefined {
    let next: PlayerFrame | undefined;
    for (const [number, { frames }] of this.#groups) {
      if (number > this.#group && frames[0] !== undefined && (next === undefined || number < next.group))
        next = frames[0];
    }
    return next;
  }

  #skipTo(group: number): void {
    if (group === this.#group) return;
    for (const number of [...this.#groups.keys()]) if (number < group) this.#forget(number, "late");
    this.#group = group;
  }

  #taken(frame: PlayerFrame): PlayerFrame {
    this.#groups.get(frame.group)?.frames.shift();
    this.#frames--;
    this.#bytes -= frame.data.length;
    this.#takenMs = captured(frame);
    return frame;
  }

  #forget(number: number, reason: "late" | "hidden" | "overflow" | "undecodable"): void {
    const frames = this.#groups.get(number)?.frames ?? [];
    this.#groups.delete(number);
    this.#frames -= frames.length;
    this.#bytes -= frames.reduce((sum, { data }) => sum + data.length, 0);
    this.#drops.count(reason, frames.length);
  }

  /** Whole groups go, the oldest first: what is left can be decoded. */
  #keepSmall(): void {
    while (this.#frames > MOST_FRAMES || this.#bytes > MOST_BYTES || this.#groups.size > MOST_FRAMES) {
      const oldest = Math.min(...this.#groups.keys());
      this.#forget(oldest, "overflow");
      this.#group = Math.max(this.#group, oldest);
    }
  }
}

/** When it was captured, in milliseconds on the sender's clock. */
export const captured = ({ timestampUs }: { readonly timestampUs: number }): number => timestampUs / 1_000;
