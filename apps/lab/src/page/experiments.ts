import type { PageExperimentName } from "../shared/catalogue.ts";
import type { Bench, Results } from "../shared/experiment.ts";
import { bandwidth } from "../shared/experiments/bandwidth.ts";
import { batch, gpuOf } from "../shared/experiments/batch.ts";
import { capacity } from "../shared/experiments/capacity.ts";
import { framePath } from "../shared/experiments/frame-path.ts";
import { leakage } from "../shared/experiments/leakage.ts";
import { measuringCost } from "../shared/experiments/measuring-cost.ts";
import { selective } from "../shared/experiments/selective.ts";
import { signatures } from "../shared/experiments/signatures.ts";
import { threads } from "../shared/experiments/threads.ts";
import { vault } from "../shared/experiments/vault.ts";

/** What runs each experiment of the catalogue that one page can run: without what needs a Node process. */
export const experiments: Readonly<Record<PageExperimentName, (bench: Bench) => Promise<Results>>> = {
  bandwidth: (bench) => bandwidth(bench, null),
  batch: async (bench) => batch(bench, await gpuOf(bench)),
  capacity,
  "frame-path": framePath,
  leakage,
  "measuring-cost": measuringCost,
  selective,
  signatures,
  threads,
  vault: (bench) => vault({ ...bench, memoryMB: () => Number.NaN }),
};
