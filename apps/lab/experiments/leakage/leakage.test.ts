import { expect, it } from "vitest";
import { type AttackResult, achieved, type Leak, strongest } from "./leakage.ts";

function run(ssim: number, outlines: number): AttackResult {
  return { ssim: { mean: ssim, max: ssim + 0.1 }, outlines: { mean: outlines, max: outlines } };
}

const leak: Pick<Leak, "attacks"> = {
  attacks: {
    readable: [run(0.2, 0.5), run(0.4, 0.5)],
    ciphertext: [run(0.1, 0.6), run(0.1, 0.8)],
    unbroken: [run(0.3, 0), run(0.3, 0)],
  },
};

it("a strategy achieved the mean of its runs, and its best moment", () => {
  const { mean, max, spread } = achieved(leak, "readable", "ssim");
  expect(mean).toBeCloseTo(0.3);
  expect(max).toBeCloseTo(0.5);
  expect(spread).toBeCloseTo(0.2);
});

it("the strongest strategy depends on the measure, and of equals is the first", () => {
  expect(strongest(leak, "outlines").strategy).toBe("ciphertext");
  const equal = { attacks: { ...leak.attacks, readable: [run(0.3, 0)] } };
  expect(strongest(equal, "ssim").strategy).toBe("readable");
});
