import type { RecordedFrame } from "../../src/shared/replay.ts";

/** What the page and the worker of this experiment say to each other. */

export interface SignaturesPass {
  /** Whether frames are signed, and held against their signatures. */
  signed: boolean;
}

export interface SignaturesJob extends SignaturesPass {
  frames: RecordedFrame[];
}

/** What a pass over all frames took, one after the other. Times are microseconds. */
export interface SignaturesPassed {
  frames: number;
  /** Of the whole pass, batches included, for each frame. */
  sealUs: number;
  openUs: number;
  /** From when a frame came until it may go on. */
  sealP50Us: number;
  openP50Us: number;
  /** Of all batches, at 30 frames a second. */
  bytesPerSecond: number;
  /** Of one batch of half a second; null where nothing is signed. */
  signUs: number | null;
  verifyUs: number | null;
}
