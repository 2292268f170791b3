import type { Bench, Results } from "../../src/shared/experiment.ts";

const FRAMES_A_SECOND = 60;

export async function measuringCost(bench: Bench): Promise<Results> {
  const { alwaysUs, watchedUs, frames } = await bench.ask("measuringCost", bench.quick ? 4_000 : 20_000);
  bench.measured("always", alwaysUs);
  bench.measured("while somebody looks", watchedUs);
  if (frames < FRAMES_A_SECOND) throw new Error(`only ${frames} frames passed`);
  const percent = (us: number) => Number(((100 * us * FRAMES_A_SECOND) / 1_000_000).toFixed(4));
  const row = (arm: string, us: number) => ({
    arm,
    usPerFrame: Number(us.toFixed(2)),
    corePercentAt60: percent(us),
    frames,
  });
  return {
    rows: [row("always", alwaysUs), row("while somebody looks", watchedUs)],
    summary: { alwaysCorePercent: percent(alwaysUs), watchedCorePercent: percent(watchedUs) },
  };
}
