import { EVERYTHING, type Policy } from "@sealcast/frame";
import type { Bench, Results } from "../../src/shared/experiment.ts";
import { row, summary, type Tested } from "./leak-table.ts";
import { type FilmEncoding, strongest } from "./leakage.ts";

/** Once through the camera's film, and enough of it to have two key frames. */
const FRAMES = 125;
const QUICK_FRAMES = 60;

const CASES: readonly Pick<Tested, "name" | "policy" | "random">[] = [
  { name: "random bytes", policy: EVERYTHING, random: true },
  { name: "everything", policy: EVERYTHING, random: false },
  ...[75, 50, 25].flatMap((percent) => [rate(percent, true), rate(percent, false)]),
  rate(0, false),
  { name: "key frames only", policy: { mode: "key-frames" }, random: false },
];

export async function leakage(bench: Bench): Promise<Results> {
  const { encodings, greySsim } = await bench.ask("film", bench.quick ? QUICK_FRAMES : FRAMES);
  const tests: Tested[] = [];
  for (const encoding of encodings)
    for (const test of CASES) tests.push({ ...test, encoding, leak: await attack(bench, encoding, test) });
  const picture = await bench.ask("leakSheet");
  return { rows: tests.map((test) => row(test, tests, greySsim)), summary: summary(tests, greySsim), picture };
}

function rate(percent: number, keyFrames: boolean): (typeof CASES)[number] {
  const name = `rate ${percent} %${keyFrames ? ", all key frames" : ""}`;
  return { name, policy: { mode: "rate", percent, keyFrames }, random: false };
}

async function attack(bench: Bench, encoding: FilmEncoding, { name, policy, random }: (typeof CASES)[number]) {
  const leak = await bench.ask("leak", { name, encoding, policy, random, runs: runsOf(policy, bench.quick) });
  const { strategy, mean } = strongest(leak, "ssim");
  bench.measured(name, mean);
  bench.say(`${encoding.codec} ${encoding.scalabilityMode}, ${name}: SSIM ${mean.toFixed(3)} (${strategy})`);
  return leak;
}

/** Where it is not left to chance which frames are readable, one run says it all; of ciphertext, five give a spread. */
function runsOf(policy: Policy, quick: boolean): number {
  if (policy.mode === "key-frames" || (policy.mode === "rate" && policy.percent === 0)) return 1;
  if (policy.mode === "rate") return quick ? 1 : 3;
  return quick ? 2 : 5;
}
