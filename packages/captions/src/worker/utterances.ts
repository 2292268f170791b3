import { joined } from "@sealcast/sound";
import { SAMPLE_RATE } from "./sample-rate.ts";

/** Sound is judged in frames of 20 ms. */
const FRAME = SAMPLE_RATE / 50;
const frames = (seconds: number): number => Math.round((seconds * SAMPLE_RATE) / FRAME);

/** The longest piece: the engine's own measure of what it reads well, and how long a reader waits. */
const LONGEST = frames(7);
/** From here on a breath is enough to cut at. */
const LONG = frames(3.5);
const PAUSE = frames(0.7);
const BREATH = frames(0.24);
/** Speech begins before it is loud enough to be noticed. */
const BEFORE = frames(0.3);
const AFTER = frames(0.2);
/** In a row: a click is none. */
const BEGINS = frames(0.06);
/** Of loud frames: less is a knock or a cough. */
const SHORTEST = frames(0.2);
/** How long a cut is looked for in a piece that has no breath in it, and how long a quiet place is. */
const CUT_WITHIN = frames(3);
const CUT = frames(0.1);

/** Decibels below full scale. Speech is so much louder than the noise there is, and never more quiet than the least. */
const ABOVE_NOISE = 9;
const LEAST = -52;
const MOST_NOISE = -36;
const LEAST_NOISE = -80;
/** The noise that is reckoned with falls at once, and rises slowly, or someone who goes on speaking would become noise. */
const NOISE_RISES = 0.06;

interface Frame {
  readonly sound: Float32Array;
  readonly level: number;
}

/** Cuts one person's sound at its pauses, by how loud it is. Between utterances nothing is kept but the last 0.3 s. */
export class Utterances {
  #rest = new Float32Array(0);
  #noise = LEAST;
  /** Of the utterance; while nobody speaks, of what may be its beginning. */
  #frames: Frame[] = [];
  #isSpeaking = false;
  /** In a row, up to now. */
  #loud = 0;
  #quiet = 0;

  /**
   * @param sound one channel at 16 kHz, in pieces of any length
   * @returns utterances that have ended, of at most 7 s each
   */
  push(sound: Float32Array): Float32Array[] {
    const all = joined([this.#rest, sound]);
    const whole = all.length - (all.length % FRAME);
    this.#rest = all.slice(whole);
    const ended: Float32Array[] = [];
    for (let at = 0; at < whole; at += FRAME) {
      const piece = all.subarray(at, at + FRAME);
      const utterance = this.#take({ sound: piece, level: levelOf(piece) });
      if (utterance !== null) ended.push(utterance);
    }
    return ended;
  }

  #take(frame: Frame): Float32Array | null {
    this.#count(frame.level);
    this.#frames.push(frame);
    if (!this.#isSpeaking) {
      this.#isSpeaking = this.#loud >= BEGINS;
      if (!this.#isSpeaking) this.#frames.splice(0, this.#frames.length - BEFORE);
      return null;
    }
    const { length } = this.#frames;
    if (this.#quiet >= (length < LONG ? PAUSE : BREATH)) return this.#end();
    return length < LONGEST ? null : this.#cut();
  }

  #count(level: number): void {
    const isLoud = level > Math.max(this.#noise + ABOVE_NOISE, LEAST);
    this.#noise = Math.min(MOST_NOISE, Math.max(LEAST_NOISE, Math.min(level, this.#noise + NOISE_RISES)));
    this.#loud = isLoud ? this.#loud + 1 : 0;
    this.#quiet = isLoud ? 0 : this.#quiet + 1;
  }

  /** At a pause: of the silence a little goes along. */
  #end(): Float32Array | null {
    const spoken = this.#frames.length - Math.max(0, this.#quiet - AFTER);
    const utterance = this.#until(spoken);
    this.#isSpeaking = false;
    this.#frames = this.#frames.slice(-BEFORE);
    return utterance;
  }

  /** Where the last seconds are most quiet. What comes after is the beginning of the next one. */
  #cut(): Float32Array | null {
    const { length } = this.#frames;
    let [best, least] = [length, Number.POSITIVE_INFINITY];
    for (let at = length - CUT_WITHIN; at + CUT <= length; at++) {
      const loudest = Math.max(...this.#frames.slice(at, at + CUT).map(({ level }) => level));
      if (loudest < least) [best, least] = [at + CUT / 2, loudest];
    }
    const utterance = this.#until(best);
    this.#frames = this.#frames.slice(best);
    return utterance;
  }

  /** Null: too short to be speech. */
  #until(end: number): Float32Array | null {
    const piece = this.#frames.slice(0, end);
    const loud = piece.filter(({ level }) => level > Math.max(this.#noise + ABOVE_NOISE, LEAST)).length;
    return loud < SHORTEST ? null : joined(piece.map(({ sound }) => sound));
  }
}

/** The loudness of a frame, dB of full scale. */
function levelOf(sound: Float32Array): number {
  let sum = 0;
  for (const sample of sound) sum += sample * sample;
  return 10 * Math.log10(sum / sound.length + 1e-12);
}
