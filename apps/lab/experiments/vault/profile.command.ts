import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { executablePath, flags, processesOf, readProcess } from "@sealcast/testbed";
import { asker } from "../../command/ask.ts";
import { PAGE, visit } from "../../command/site.ts";
import type { AskPage } from "../../src/shared/ask.ts";
import type { LabPage } from "../../src/shared/lab.ts";

/** A browser on the lab's page with a profile on the disk, as people have it: others keep private files in memory. */
export interface ProfileLab {
  readonly ask: AskPage<LabPage>;
  /** Megabytes of memory that its pages' processes hold at present. Linux alone says it; elsewhere 0. */
  memoryMB(): number;
  /** Closes the browser and removes the profile. */
  close(): Promise<void>;
}

export async function openProfile(): Promise<ProfileLab> {
  const directory = mkdtempSync(join(tmpdir(), "sealcast-lab-"));
  const context = await chromium.launchPersistentContext(directory, { executablePath, args: [...flags] });
  const page = await context.newPage();
  await visit(page, PAGE);
  return {
    ask: asker<LabPage>(page, "lab"),
    memoryMB: () => renderersOf(directory).reduce((sum, pid) => sum + anonymousMB(pid), 0),
    async close() {
      await context.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The page processes of the browser that has this profile. */
function renderersOf(directory: string): string[] {
  return processesOf(directory).filter((pid) => readProcess(pid, "cmdline").includes("--type=renderer"));
}

function anonymousMB(pid: string): number {
  return Number(/^RssAnon:\s*(\d+)/m.exec(readProcess(pid, "status"))?.[1] ?? 0) / 1_000;
}
