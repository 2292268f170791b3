import type { Milli } from "@sealcast/time";
import type { PlayerFrame, PlayerMode } from "../shared/messages.ts";

/** Of arrivals within one slot the earliest and the latest count, so that a burst is one event and not a hundred. */
const SLOT_MS = 250;
/** Half a minute: clocks 200 ppm apart drift by 6 ms meanwhile. */
const MOST_SLOTS = 120;
/** A newcomer gets what is up to a group old, faster than it was captured: until that is over, lateness says nothing. */
const CATCHING_UP_MS = 20;
const MOST_CATCHING_UP_MS = 3_000;
/** Slots of which the latest frame tells how late they are now. */
const RECENT_SLOTS = 4;
/** Where all of this many slots is later than playing can wait for, it is later for good: 3.5 seconds, in which a smaller picture was tried. */
const MOVED_SLOTS = 14;
/** A time that is further from all others is no lateness. */
const OFF_TIMELINE_MS = 15_000;

/** How playing follows lateness: all of the latest `slots` but a share arrive in time. */
const AIMS: Readonly<Record<PlayerMode, Aim>> = {
  "lowest-latency": { slots: 40, share: 0.9, marginMs: 15, leastMs: 50, mostMs: 1_000 },
  smoothest: { slots: MOST_SLOTS, share: 1, marginMs: 40, leastMs: 400, mostMs: 4_000 },
};

interface Aim {
  readonly slots: number;
  readonly share: number;
  readonly marginMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

interface Slot {
  readonly number: number;
  /** Arrival less capture, in milliseconds between two clocks that have nothing to do with each other. */
  leastTransit: number;
  mostTransit: number;
}

/** When frames came, by when they were captured, and which captured time is to be played when. */
export class Arrivals {
  mode: PlayerMode;
  #slots: Slot[] = [];
  #catchingUpSince: Milli | null = null;
  #hasSettled = false;
  /** Of each track the captured time of the newest frame. */
  readonly #newest = { video: Number.NEGATIVE_INFINITY, audio: Number.NEGATIVE_INFINITY };
  /** Of what the slots say: made when it is asked for, once a slot. */
  #floor = 0;
  #targetMs = 0;

  constructor(mode: PlayerMode) {
    this.mode = mode;
  }

  /** The captured time of the newest frame. */
  get newestMs(): number {
    return Math.max(this.#newest.video, this.#newest.audio);
  }

  /** From the fastest frame's arrival until it is played. */
  get targetMs(): number {
    return this.#targetMs;
  }

  /**
   * One of a time that its track has had already does not count: the rest of a late group, or the beginning of another size.
   *
   * @returns false where its time has nothing to do with that of the others
   */
  add(track: PlayerFrame["track"], capturedMs: number, receivedAt: Milli): boolean {
    const transit = receivedAt - capturedMs;
    if (this.#slots.length > 0 && Math.abs(transit - this.#floor) > OFF_TIMELINE_MS) return false;
    if (capturedMs <= this.#newest[track]) return true;
    this.#newest[track] = capturedMs;
    const slot = this.#slotAt(receivedAt);
    slot.leastTransit = Math.min(slot.leastTransit, transit);
    slot.mostTransit = this.#hasSettled ? Math.max(slot.mostTransit, transit) : slot.leastTransit;
    if (transit < this.#floor || this.#slots.length === 1 || transit > this.#floor + this.#targetMs) this.#reckon();
    return true;
  }

  /** The captured time that is to be played at `now`; null before anything came. */
  wantedAt(now: Milli): number | null {
    return this.#slots.length === 0 ? null : now - this.#floor - this.#targetMs;
  }

  /** How late frames are now: the latest of the last second, or the time for which none has come. */
  latenessAt(now: Milli): number {
    if (this.#slots.length === 0) return 0;
    const recent = this.#slots.slice(-RECENT_SLOTS).filter(({ number }) => number > now / SLOT_MS - RECENT_SLOTS - 1);
    const latest = Math.max(0, ...recent.map(({ mostTransit }) => mostTransit - this.#floor));
    return Math.max(latest, now - this.#floor - this.newestMs);
  }

  /** Whether `targetMs` follows lateness by now. */
  get hasSettled(): boolean {
    return this.#hasSettled;
  }

  #slotAt(receivedAt: Milli): Slot {
    const number = Math.floor(receivedAt / SLOT_MS);
    const current = this.#slots.at(-1);
    if (current !== undefined && number <= current.number) return current;
    if (!this.#hasSettled) this.#settle(receivedAt);
    const moved = this.#slots.slice(-MOVED_SLOTS);
    const tooLate = this.#floor + AIMS[this.mode].mostMs;
    if (moved.length === MOVED_SLOTS && moved.every(({ leastTransit }) => leastTransit > tooLate)) this.#slots = moved;
    const slot = { number, leastTransit: Number.POSITIVE_INFINITY, mostTransit: Number.NEGATIVE_INFINITY };
    this.#slots.push(slot);
    if (this.#slots.length > MOST_SLOTS) this.#slots.shift();
    if (this.#slots.length > 1) this.#reckon();
    return slot;
  }

  /** Between two slots: whether what comes is no longer older than usual. */
  #settle(now: Milli): void {
    this.#catchingUpSince ??= now;
    const [before, last] = this.#slots.slice(-2);
    if (before === undefined || last === undefined) return;
    const isCatchingUp = before.leastTransit - last.leastTransit > CATCHING_UP_MS;
    this.#hasSettled = !isCatchingUp || now - this.#catchingUpSince > MOST_CATCHING_UP_MS;
    this.#slots = [last];
  }

  #reckon(): void {
    const { slots, share, marginMs, leastMs, mostMs } = AIMS[this.mode];
    this.#floor = Math.min(...this.#slots.map(({ leastTransit }) => leastTransit));
    const late = this.#slots.slice(-slots).map(({ mostTransit }) => Math.max(0, mostTransit - this.#floor));
    const enough = late.toSorted((a, b) => a - b)[Math.ceil(share * late.length) - 1] ?? 0;
    this.#targetMs = Math.min(mostMs, Math.max(leastMs, enough + marginMs));
  }
}
