import type { Policy } from "@sealcast/frame";
import type { Row } from "../../src/shared/experiment.ts";
import { type Achieved, achieved, type FilmEncoding, type Leak, type Measure, strongest } from "./leakage.ts";

/** A policy in one encoding, and what an attacker got. */
export interface Tested {
  encoding: FilmEncoding;
  name: string;
  policy: Policy;
  /** Random bytes instead of ciphertext: what the others are held against. */
  random: boolean;
  leak: Leak;
}

/** `tests` hold the random bytes of the same encoding. */
export function row(test: Tested, tests: readonly Tested[], greySsim: number): Row {
  const { encoding, name, leak } = test;
  const random = tests.find((other) => other.random && other.encoding === encoding)?.leak;
  if (random === undefined) throw new Error(`${encoding.codec} was not tried with random bytes`);
  const best = strongest(leak, "ssim");
  return {
    codec: encoding.codec,
    layers: encoding.scalabilityMode,
    policy: name,
    sealedFramesPercent: round(100 * leak.sealedFrames, 1),
    sealedBytesPercent: round(100 * leak.sealedBytes, 1),
    strategy: best.strategy,
    ssim: round(best.mean),
    maxSsim: round(best.max),
    randomSsim: round(strongest(random, "ssim").mean),
    greySsim: round(greySsim),
    ciphertextSsim: round(achieved(leak, "ciphertext", "ssim").mean),
    randomCiphertextSsim: round(achieved(random, "ciphertext", "ssim").mean),
    randomCiphertextSpread: round(achieved(random, "ciphertext", "ssim").spread),
    outlines: round(strongest(leak, "outlines").mean),
    randomOutlines: round(strongest(random, "outlines").mean),
  };
}

/** Each figure is the highest of all encodings, that of a rate also of both ways with key frames. */
export function summary(tests: readonly Tested[], greySsim: number): Record<string, number> {
  const random = tests.filter((test) => test.random);
  const sealed = tests.filter((test) => !test.random);
  const of = (mode: Policy["mode"]) => sealed.filter(({ policy }) => policy.mode === mode);
  const rate = (percent: number) => sealed.filter(({ policy }) => policy.mode === "rate" && policy.percent === percent);
  const allKeyFrames = rate(75).filter(({ policy }) => policy.mode === "rate" && policy.keyFrames);
  return {
    codecs: new Set(tests.map(({ encoding }) => encoding.codec)).size,
    everythingSsim: highest(of("everything"), "ssim", "mean"),
    randomSsim: highest(random, "ssim", "mean"),
    randomSpread: highest(random, "ssim", "spread"),
    greySsim: round(greySsim),
    rate75Ssim: highest(rate(75), "ssim", "mean"),
    rate75AllKeyFramesSsim: highest(allKeyFrames, "ssim", "mean"),
    keyFramesSsim: highest(of("key-frames"), "ssim", "mean"),
    rate0Ssim: highest(rate(0), "ssim", "mean"),
    everythingOutlines: highest(of("everything"), "outlines", "mean"),
    randomOutlines: highest(random, "outlines", "mean"),
    randomOutlinesSpread: highest(random, "outlines", "spread"),
    rate75Outlines: highest(rate(75), "outlines", "mean"),
    rate75AllKeyFramesOutlines: highest(allKeyFrames, "outlines", "mean"),
    keyFramesOutlines: highest(of("key-frames"), "outlines", "mean"),
  };
}

function highest(tests: readonly Tested[], measure: Measure, figure: Exclude<keyof Achieved, "strategy">): number {
  return round(Math.max(...tests.map(({ leak }) => strongest(leak, measure)[figure])));
}

function round(value: number, digits = 4): number {
  return Number(value.toFixed(digits));
}
