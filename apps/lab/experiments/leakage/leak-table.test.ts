import type { Policy } from "@sealcast/frame";
import { describe, expect, it } from "vitest";
import { row, summary, type Tested } from "./leak-table.ts";
import type { AttackResult, FilmEncoding, Leak } from "./leakage.ts";

const VP8: FilmEncoding = { codec: "vp8", scalabilityMode: "L1T1" };
const VP8_LAYERS: FilmEncoding = { codec: "vp8", scalabilityMode: "L1T3" };
const GREY = 0.2;
const KEY_FRAMES: Policy = { mode: "key-frames" };
const DRAWN: Policy = { mode: "rate", percent: 75, keyFrames: false };
const DRAWN_AND_KEY_FRAMES: Policy = { mode: "rate", percent: 75, keyFrames: true };

/** Dropped frames leave grey; `ciphertext` is what comes of the strategy of that name. */
function leakOf(...ciphertext: number[]): Leak {
  const attack = (mean: number): AttackResult => ({ ssim: { mean, max: mean }, outlines: { mean: 0, max: 0 } });
  const grey = [attack(GREY)];
  return {
    sealedFrames: 1,
    sealedBytes: 0.9984,
    attacks: { readable: grey, ciphertext: ciphertext.map(attack), unbroken: grey },
  };
}

function tested(encoding: FilmEncoding, policy: Policy, leak: Leak, random = false): Tested {
  return { encoding, name: policy.mode, policy, random, leak };
}

const TESTS: Tested[] = [
  tested(VP8, { mode: "everything" }, leakOf(0.1), true),
  tested(VP8, { mode: "everything" }, leakOf(0.12)),
  tested(VP8, KEY_FRAMES, leakOf(0.4)),
  tested(VP8, DRAWN, leakOf(0.36)),
  tested(VP8, DRAWN_AND_KEY_FRAMES, leakOf(0.33)),
  tested(VP8_LAYERS, { mode: "everything" }, leakOf(0.25, 0.31), true),
  tested(VP8_LAYERS, { mode: "everything" }, leakOf(0.27)),
  tested(VP8_LAYERS, KEY_FRAMES, leakOf(0.5)),
];

describe("a row", () => {
  it("holds a policy against the random bytes of its own encoding", () => {
    const [, everything] = TESTS;
    expect(row(everything!, TESTS, GREY)).toMatchObject({
      codec: "vp8",
      layers: "L1T1",
      sealedFramesPercent: 100,
      sealedBytesPercent: 99.8,
      strategy: "readable",
      ssim: GREY,
      randomSsim: GREY,
      ciphertextSsim: 0.12,
      randomCiphertextSsim: 0.1,
      randomCiphertextSpread: 0,
    });
    expect(row(TESTS.at(-1)!, TESTS, GREY)).toMatchObject({ ssim: 0.5, strategy: "ciphertext", randomSsim: 0.28 });
  });

  it("is not to be had without random bytes", () => {
    expect(() => row(TESTS[1]!, TESTS.slice(1), GREY)).toThrow("random bytes");
  });
});

it("the summary takes the highest of all encodings, random bytes apart", () => {
  expect(summary(TESTS, GREY)).toMatchObject({
    codecs: 1,
    everythingSsim: 0.27,
    randomSsim: 0.28,
    randomSpread: 0.06,
    greySsim: GREY,
    rate75Ssim: 0.36,
    rate75AllKeyFramesSsim: 0.33,
    keyFramesSsim: 0.5,
  });
});
