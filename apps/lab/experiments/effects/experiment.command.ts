import type { Page } from "@playwright/test";
import { fakeDevices, media, openCall, Server } from "@sealcast/testbed";
import { cpuSeconds, launch } from "../../command/bench.ts";
import type { CommandBench, Experiment, Row } from "../../command/experiment.ts";
import { pause } from "../../command/until.ts";
import { quantile } from "../../src/shared/statistics.ts";

const EFFECTS = ["none", "blur", "replaced", "noise"] as const;
type Effect = (typeof EFFECTS)[number];

const ROUNDS = 3;
/** After an effect was turned on or off. */
const SETTLED_MS = 3_000;

/** What the page says that an effect takes, as it says it beside its switch. */
interface SaidCost {
  readonly msPerFrame: number;
  readonly share: number;
  readonly delayMs: number;
  readonly framesPerSecond: number;
}

interface Pass {
  readonly effect: Effect;
  /** Of one core, all processes of the browser together. */
  readonly cpuShare: number;
  readonly costs: readonly SaidCost[];
}

/**
 * The product's own lobby, with a camera of 1280x720 that sees someone in a room: what the browser takes of a core with and
 * without each effect, and what the page says of it.
 */
export const effects: Experiment = {
  async run(bench) {
    const product = await Server.start();
    const browser = await launch(undefined, fakeDevices(media.portrait));
    try {
      const page = await browser.newPage({ locale: "en-US" });
      await openCall(page, product.url);
      await page.getByRole("button", { name: "Background and noise" }).click();
      const session = await browser.newBrowserCDPSession();
      const passes: Pass[] = [];
      for (let round = 0; round < (bench.quick ? 1 : ROUNDS); round++)
        for (const effect of EFFECTS) {
          await turnOn(page, effect);
          const pass = await measured(bench, page, effect, () => cpuSeconds(session));
          passes.push(pass);
          bench.say(JSON.stringify(row(effect, [pass])));
        }
      return { rows: EFFECTS.map((effect) => row(effect, passes)), summary: summary(passes) };
    } finally {
      await browser.close();
      await product.stop();
    }
  },
};

async function turnOn(page: Page, effect: Effect): Promise<void> {
  const background = { none: "None", blur: "Blur", replaced: "Mist", noise: "None" }[effect];
  await page.getByRole("radio", { name: background }).check();
  await page.getByRole("checkbox", { name: "Suppress noise" }).setChecked(effect === "noise");
  if (effect !== "none") await page.locator("[data-cost]").first().waitFor();
  await pause(SETTLED_MS);
}

async function measured(bench: CommandBench, page: Page, effect: Effect, cpu: () => Promise<number>): Promise<Pass> {
  const [before, since] = [await cpu(), performance.now()];
  const costs: SaidCost[] = [];
  for (let second = 0; second < (bench.quick ? 5 : 20); second++) {
    await pause(1_000);
    for (const said of await page.locator("[data-cost]").all())
      costs.push(JSON.parse((await said.getAttribute("data-cost")) ?? "{}") as SaidCost);
  }
  return { effect, cpuShare: (1_000 * ((await cpu()) - before)) / (performance.now() - since), costs };
}

function row(effect: Effect, passes: readonly Pass[]): Row {
  const of = passes.filter((pass) => pass.effect === effect);
  const costs = of.flatMap(({ costs }) => costs);
  const said = (field: keyof SaidCost, digits: number) =>
    costs.length === 0 ? null : rounded(median(costs.map((cost) => cost[field])), digits);
  return {
    effect,
    cpuShareOfBrowser: rounded(median(of.map(({ cpuShare }) => cpuShare)), 3),
    msPerFrame: said("msPerFrame", 2),
    shareOfWorker: said("share", 3),
    delayMs: said("delayMs", 1),
    framesPerSecond: said("framesPerSecond", 1),
  };
}

/** What each effect adds to the browser's own share of a core, and how much later things go out. */
function summary(passes: readonly Pass[]): Record<string, number> {
  const share = (effect: Effect) =>
    median(passes.filter((pass) => pass.effect === effect).map(({ cpuShare }) => cpuShare));
  const delay = (effect: Effect) =>
    median(passes.filter((pass) => pass.effect === effect).flatMap(({ costs }) => costs.map(({ delayMs }) => delayMs)));
  return Object.fromEntries(
    EFFECTS.filter((effect) => effect !== "none").flatMap((effect) => [
      [`${effect}AddedCpuShare`, rounded(share(effect) - share("none"), 3)],
      [`${effect}DelayMs`, rounded(delay(effect), 1)],
    ]),
  );
}

const median = (values: readonly number[]) => quantile(values, 0.5);

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
