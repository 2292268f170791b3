import type { Milli } from "@sealcast/time";
import type { PlayerMode } from "../shared/messages.ts";

/** Sound that is played this much faster or slower sounds the same. */
const MOST_CORRECTION = 0.005;
/** An error goes in about so many milliseconds, so that 200 ppm of drift leave an error of less than one. */
const CORRECTED_IN_MS = 4_000;
/** Where it is further behind, it jumps and leaves out what is between: to correct this takes half a minute and more. */
const MOST_BEHIND_MS: Readonly<Record<PlayerMode, number>> = { "lowest-latency": 150, smoothest: 5_000 };
/** Where nothing is there to play, it jumps at once, either way, if by no less than this. */
const LEAST_JUMP_MS = 20;
const DRIFT_OVER_MS = 30_000;

/** Which captured time is played now. It runs by itself; where sound is played, that says where it stands. */
export class Playhead {
  #at: Milli;
  #capturedMs: number;
  #steeredAt: Milli;
  #rate = 1;
  #drift = 0;
  /** How often it jumped, which also names the latest jump. */
  jumps = 0;

  constructor(now: Milli, capturedMs: number) {
    this.#at = now;
    this.#steeredAt = now;
    this.#capturedMs = capturedMs;
  }

  get rate(): number {
    return this.#rate;
  }

  /** The mean correction of late, in parts per million. */
  get driftPpm(): number {
    return this.#drift * 1e6;
  }

  at(now: Milli): number {
    return this.#capturedMs + (now - this.#at) * this.#rate;
  }

  /** Sound is played, and at `now` it plays what was captured at `capturedMs`. */
  follow(now: Milli, capturedMs: number): void {
    this.#at = now;
    this.#capturedMs = capturedMs;
  }

  /**
   * Comes closer to `wantedMs`, by playing a little faster or slower.
   *
   * @param isFree nothing is there to play, so that a jump is not heard
   * @returns whether it has jumped
   */
  steer(now: Milli, wantedMs: number, isFree: boolean, mode: PlayerMode): boolean {
    const capturedMs = this.at(now);
    const behindMs = wantedMs - capturedMs;
    const passedMs = Math.min(now - this.#steeredAt, DRIFT_OVER_MS);
    const isJump = behindMs > MOST_BEHIND_MS[mode] || (isFree && Math.abs(behindMs) > LEAST_JUMP_MS);
    if (isJump) this.jumps++;
    this.follow(now, isJump ? wantedMs : capturedMs);
    const correction = isJump ? 0 : behindMs / CORRECTED_IN_MS;
    this.#rate = 1 + Math.max(-MOST_CORRECTION, Math.min(MOST_CORRECTION, correction));
    this.#drift += ((this.#rate - 1 - this.#drift) * passedMs) / DRIFT_OVER_MS;
    this.#steeredAt = now;
    return isJump;
  }
}
