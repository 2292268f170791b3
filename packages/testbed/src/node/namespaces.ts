import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { executablePath } from "./chromium.ts";

/** Runs one command after the other until one fails, and says why it did; null: none did. */
export function firstProblem(steps: readonly string[][]): string | null {
  for (const step of steps) {
    const problem = attempt(...step);
    if (problem !== null) return `${step.slice(0, 3).join(" ")}: ${problem}`;
  }
  return null;
}

/** What went wrong, in a word; null: nothing. */
function attempt(...[tool = "", ...args]: readonly string[]): string | null {
  const { error, status, stderr } = spawnSync(tool, args, { encoding: "utf8" });
  if (error !== undefined) return "it could not be run";
  return status === 0 ? null : stderr.trim();
}

/** Those there are of these; what runs in one keeps it until it ends. */
export function removeNamespaces(names: readonly string[]): void {
  for (const name of names) attempt("ip", "netns", "delete", name);
}

/** What stands before a command that is to run there. */
export const withinNamespace = (name: string): string[] => ["ip", "netns", "exec", name];

/** A browser is started by a file: this one starts it in the network of that name. */
export function browserStarter(folder: string, name: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\nexec ${withinNamespace(name).join(" ")} "${executablePath}" "$@"\n`, { mode: 0o755 });
  return file;
}
