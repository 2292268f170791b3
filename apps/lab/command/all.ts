import { spawn } from "node:child_process";
import { catalogue } from "../src/shared/catalogue.ts";

const MINUTE_MS = 60_000;
/** One that takes longer has failed. */
const LONGEST_MS = { quick: 10 * MINUTE_MS, full: 180 * MINUTE_MS };

/**
 * Every experiment in turn, each recorded by a command of its own, so that one that fails, ends its process or never ends
 * does not stop the rest. Returns the exit code: how many failed.
 */
export async function runAll(quick: boolean, say: (line: string) => void): Promise<number> {
  const failed: string[] = [];
  for (const [number, { name }] of catalogue.entries()) {
    say(`\n== ${number + 1} of ${catalogue.length}: ${name}`);
    const since = performance.now();
    const why = await runOne(
      [name, "--record", ...(quick ? ["--quick"] : [])],
      quick ? LONGEST_MS.quick : LONGEST_MS.full,
    );
    say(`${name}: ${why ?? "done"} after ${Math.round((performance.now() - since) / 1000)} s`);
    if (why !== null) failed.push(`${name}: ${why}`);
  }
  say(`\n${catalogue.length - failed.length} of ${catalogue.length} experiments were measured.`);
  for (const line of failed) say(`Failed, and keeps the results that it had: ${line}`);
  return failed.length;
}

/** Null when it was measured, otherwise why not. */
function runOne(args: readonly string[], timeout: number): Promise<string | null> {
  const [main = ""] = process.argv.slice(1);
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "ignore", "inherit"], timeout });
  return new Promise((resolve) => {
    child.on("error", ({ message }) => resolve(message));
    child.on("exit", (code, signal) => resolve(signal === null ? (code === 0 ? null : "failed") : "took too long"));
  });
}
