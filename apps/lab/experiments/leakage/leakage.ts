import type { Codec, Policy } from "@sealcast/frame";

/** What the command and the page say to each other in the experiment `leakage`, and which of the attacks counts. */

export type LeakCodec = Extract<Codec, "vp8" | "vp9" | "h264" | "av1">;

/** How the film is encoded: with temporal layers, frames lean less on those before. */
export interface FilmEncoding {
  codec: LeakCodec;
  scalabilityMode: "L1T1" | "L1T3";
}

/**
 * What an attacker without keys gives to a decoder, behind a grey key frame:
 * - readable: the readable frames, without those that the decoder refuses
 * - ciphertext: all frames as they are; a decoder that refuses one starts from the grey key frame again
 * - unbroken: the readable frames from a key frame on, until one is missing; then the picture stays
 */
export type Strategy = "readable" | "ciphertext" | "unbroken";

export const STRATEGIES: readonly Strategy[] = ["readable", "ciphertext", "unbroken"];

/** How the attacker's picture is compared with the sender's: by structural similarity, or by its outlines alone. */
export type Measure = "ssim" | "outlines";

/** One policy in one encoding. */
export interface LeakTest {
  /** For the contact sheet. */
  name: string;
  encoding: FilmEncoding;
  policy: Policy;
  /** Sealed frames hold random bytes where ciphertext and tag would be. */
  random: boolean;
  /** How often the film is sealed again and attacked. */
  runs: number;
}

/** A film's worth of one measure. */
interface Likeness {
  mean: number;
  max: number;
}

export type AttackResult = Record<Measure, Likeness>;

export interface Leak {
  /** Shares of all, 0..1. */
  sealedFrames: number;
  sealedBytes: number;
  /** Of every run. */
  attacks: Record<Strategy, AttackResult[]>;
}

/** What a strategy achieved in all runs. */
export interface Achieved {
  strategy: Strategy;
  mean: number;
  max: number;
  /** Between the lowest and the highest mean of a run. */
  spread: number;
}

/** By one measure. */
export function achieved({ attacks }: Pick<Leak, "attacks">, strategy: Strategy, measure: Measure): Achieved {
  const runs = attacks[strategy].map((attack) => attack[measure]);
  const means = runs.map(({ mean }) => mean);
  return {
    strategy,
    mean: means.reduce((sum, mean) => sum + mean, 0) / means.length,
    max: Math.max(...runs.map(({ max }) => max)),
    spread: Math.max(...means) - Math.min(...means),
  };
}

/** The strategy whose pictures are the most alike on average. Of equals, the first. */
export function strongest(leak: Pick<Leak, "attacks">, measure: Measure): Achieved {
  const all = STRATEGIES.map((strategy) => achieved(leak, strategy, measure));
  return all.reduce((best, other) => (other.mean > best.mean ? other : best));
}
