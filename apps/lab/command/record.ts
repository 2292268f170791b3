import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@sealcast/testbed";
import { paperList } from "../src/shared/papers.ts";
import { compared, filled, plotOf, plotted, resultsPage } from "../src/shared/report.ts";
import { parseResults, type ResultsFile, writeResults } from "../src/shared/results.ts";
import { type Lab, openLab } from "./bench.ts";

const RESULTS = join(root, "docs/results");
const README = join(root, "README.md");

/** Keeps an experiment's results, and writes everything that shows its figures. Returns what of README.md it could not fill in. */
export async function record(file: ResultsFile): Promise<readonly string[]> {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${file.experiment}.json`), writeResults(file));
  return report();
}

/** Writes the plots, the page and the figures in README.md again, of the results files as they are. */
export async function report(): Promise<readonly string[]> {
  const files = recorded();
  const lab = await openLab();
  try {
    await drawn(lab, files);
  } finally {
    await lab.close();
  }
  writeFileSync(join(RESULTS, "README.md"), resultsPage(files));
  const { text, problems } = filled(readFileSync(README, "utf8"), files);
  writeFileSync(README, text);
  return problems;
}

/** Every results file that is kept. */
function recorded(): ResultsFile[] {
  const names = readdirSync(RESULTS).filter((name) => name.endsWith(".json"));
  return names.map((name) => parseResults(readFileSync(join(RESULTS, name), "utf8"), name));
}

/** A page draws: each experiment's values, and ours beside each table of the papers. */
async function drawn({ ask }: Lab, files: readonly ResultsFile[]): Promise<void> {
  const write = (name: string, svg: string) => writeFileSync(join(RESULTS, plotOf(name)), `${svg}\n`);
  for (const file of files) if (file.measured.length > 0) write(file.experiment, await ask("plotMeasured", file));
  for (const [paper] of paperList) {
    const all = compared(paper, files);
    for (const table of plotted(all)) {
      const figures = all.filter((one) => one.table === table);
      write(table.name, await ask("plotCompared", figures));
    }
  }
}

/** What is checked out; a "+" at its end: with changes. Null where git does not tell. */
export function commitOf(): string | null {
  const git = (...args: string[]) => spawnSync("git", args, { cwd: root, encoding: "utf8" });
  const { status, stdout } = git("rev-parse", "--short", "HEAD");
  if (status !== 0) return null;
  // Results that were written before are no change of what is measured.
  const changed = git("status", "--porcelain", "--", ".", ":!docs/results", ":!README.md").stdout !== "";
  return `${stdout.trim()}${changed ? "+" : ""}`;
}
