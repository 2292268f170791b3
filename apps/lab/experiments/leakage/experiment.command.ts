import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "@sealcast/testbed";
import type { Experiment } from "../../command/experiment.ts";
import { leakage as inPage } from "./experiment.ts";

const PICTURES = join(root, "test-results/lab/leakage");

export const leakage: Experiment = {
  async run(bench) {
    const results = await inPage(bench);
    if (results.picture !== undefined) bench.say(`Pictures: ${await save(results.picture)}`);
    return results;
  },
};

/** Returns the path. */
async function save(png: string): Promise<string> {
  const path = join(PICTURES, `${new Date().toISOString().replaceAll(":", "-")}.png`);
  await mkdir(PICTURES, { recursive: true });
  await writeFile(path, png, "base64");
  return path;
}
