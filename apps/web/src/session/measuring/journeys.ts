import { FRAME_TIMES } from "@sealcast/media";
import { Histogram, type Relation, RollingWindow, type Spread } from "@sealcast/metrics";
import { PICTURE_TIMES } from "@sealcast/player/messages";
import { dropOldest, milli } from "@sealcast/time";
import type { SentLine } from "./timing.ts";

/** A frame is looked at once everything that is told of it has come: others tell once a second. */
const SETTLED = milli(2_500);
/** Our player holds a picture back for less. */
const MOST_HELD = milli(5_000);
/** Frames of which something is known and not all. */
const MOST_OPEN = 512;
/** Seconds over which quantiles are taken. */
const WINDOW = 5;

/** A picture that a video presented. Times are milliseconds on the computer's clock. */
export interface Presented {
  rtp: number;
  /** As the browser computes it for this clock; NaN before it can. */
  captured: number;
  presented: number;
  /** Milliseconds in the decoder. */
  decoding: number;
  /** Where a player of ours shows it: when the decoder got its frame and gave it, and when it was its turn. */
  player?: { taken: number; decoded: number; due: number };
}

interface Journey {
  opened: { received: number; came: number; left: number } | null;
  told: SentLine["frames"][number] | null;
  shown: Presented | null;
}

/** What is known frame by frame of one received track. */
const MEASURED = [
  "before",
  "seal",
  "network",
  "open",
  "held",
  "after",
  "decode",
  "buffered",
  "drawn",
  "end-to-end",
] as const;
/**
 * `before`: from the beginning to the sealing worker; `network`: from there to the opening one; `held`: from the last packet
 * to the opened frame; `after`: from there to the screen. Only of what a player of ours shows: `buffered`: waiting before the
 * decoder and behind it; `drawn`: from its turn to the screen.
 */
export type MeasuredStage = (typeof MEASURED)[number];

/** One received track's frames, joined by their RTP timestamps with what the sender tells and what was shown. */
export class Journeys {
  readonly #journeys = new Map<number, Journey>();
  readonly #times: Record<MeasuredStage, Histogram> = histograms();
  readonly #windows = new Map(MEASURED.map((name) => [name, new RollingWindow(WINDOW + 1)]));
  #opened = 0;
  /** When the newest picture was shown of those in the player's rows. */
  #played = 0;
  #settled = 0;

  /** Rows of TrackTimings.frames: they come again and again. */
  opened(rows: Float64Array): void {
    for (let at = 0; at < rows.length; at += FRAME_TIMES) {
      const [rtp = 0, received = Number.NaN, , came = 0, left = 0] = rows.subarray(at, at + FRAME_TIMES);
      if (left <= this.#opened) continue;
      this.#opened = left;
      this.#journey(rtp).opened = { received, came, left };
    }
  }

  told(frames: SentLine["frames"]): void {
    for (const frame of frames) if (this.#journeys.has(frame[0])) this.#journey(frame[0]).told = frame;
  }

  shown(presented: Presented): void {
    this.#journey(presented.rtp).shown = presented;
  }

  /** Rows of PlayerFigures.pictures: they come again and again. */
  played(rows: Float64Array): void {
    for (let at = 0; at < rows.length; at += PICTURE_TIMES) {
      const [rtp = 0, taken = 0, decoded = 0, due = 0, presented = 0] = rows.subarray(at, at + PICTURE_TIMES);
      if (presented <= this.#played) continue;
      this.#played = presented;
      this.shown({ rtp, captured: Number.NaN, presented, decoding: decoded - taken, player: { taken, decoded, due } });
    }
  }

  /** Takes the frames that nothing more will be told of. `relation`: of the sender's clock; null: not known. */
  settle(now: number, relation: Relation | null): ReadonlyMap<MeasuredStage, Spread> {
    for (const [rtp, journey] of this.#journeys) {
      if (now - this.#lastOf(journey) < SETTLED) continue;
      this.#journeys.delete(rtp);
      this.#take(journey, relation);
    }
    return new Map([...this.#windows].map(([name, window]) => [name, window.push(this.#times[name].snapshot())]));
  }

  /** How many frames were looked at. */
  get settled(): number {
    return this.#settled;
  }

  /** When something last happened to it. What our player holds back is shown later. */
  #lastOf({ opened, shown }: Journey): number {
    if (this.#played === 0) return opened?.left ?? shown?.presented ?? 0;
    return shown?.presented ?? (opened?.left ?? 0) + MOST_HELD;
  }

  #journey(rtp: number): Journey {
    const journey = this.#journeys.get(rtp) ?? { opened: null, told: null, shown: null };
    this.#journeys.set(rtp, journey);
    dropOldest(this.#journeys, MOST_OPEN);
    return journey;
  }

  #take({ opened, told, shown }: Journey, relation: Relation | null): void {
    if (opened === null) return;
    this.#settled++;
    const [, begun = null, came = Number.NaN, left = Number.NaN] = told ?? [];
    const toHere = relation?.toHere ?? Number.NaN;
    const beginning = begun === null ? (shown?.captured ?? Number.NaN) : begun + toHere;
    this.#record("before", came + toHere - beginning);
    this.#record("seal", left - came);
    this.#record("network", opened.came - left - toHere);
    this.#record("open", opened.left - opened.came);
    this.#record("held", opened.left - opened.received);
    if (shown === null) return;
    this.#record("decode", shown.decoding);
    this.#record("after", shown.presented - opened.left);
    this.#record("end-to-end", shown.presented - beginning);
    if (shown.player === undefined) return;
    const { taken, decoded, due } = shown.player;
    this.#record("buffered", taken - opened.left + due - decoded);
    this.#record("drawn", shown.presented - due);
  }

  #record(what: MeasuredStage, ms: number): void {
    if (Number.isFinite(ms)) this.#times[what].record(1_000 * ms);
  }
}

function histograms(): Record<MeasuredStage, Histogram> {
  return Object.fromEntries(MEASURED.map((name) => [name, new Histogram()])) as Record<MeasuredStage, Histogram>;
}
