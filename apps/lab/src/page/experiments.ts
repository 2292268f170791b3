import { bandwidth } from "../../experiments/bandwidth/experiment.ts";
import { batch, gpuOf } from "../../experiments/batch/experiment.ts";
import { capacity } from "../../experiments/capacity/experiment.ts";
import { framePath } from "../../experiments/frame-path/experiment.ts";
import { leakage } from "../../experiments/leakage/experiment.ts";
import { measuringCost } from "../../experiments/measuring-cost/experiment.ts";
import { selective } from "../../experiments/selective/experiment.ts";
import { signatures } from "../../experiments/signatures/experiment.ts";
import { threads } from "../../experiments/threads/experiment.ts";
import { vault } from "../../experiments/vault/experiment.ts";
import type { PageExperimentName } from "../shared/catalogue.ts";
import type { Bench, Results } from "../shared/experiment.ts";

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
