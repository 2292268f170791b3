import { spawn } from "node:child_process";
import { catalogue } from "../src/shared/catalogue.ts";

const MINUTE_MS = 60_000;
/** One that takes longer has failed. */
const LONGEST_MS = { quick: 10 * MINUTE_MS, full: 180 * MINUTE_MS };

/**
 * Every experiment in turn, each recorded by a command of its own, so that one that fails, ends its process or never ends
 * does not stop the rest. A signal stops all. Returns how many were not measured.
 */
export async function runAll(quick: boolean, say: (line: string) => void): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => stop.abort());
  const failed: string[] = [];
  for (const [number, { name }] of catalogue.entries()) {
    say(`\n== ${number + 1} of ${catalogue.length}: ${name}`);
    const since = performance.now();
    const why = stop.signal.aborted ? "stopped" : await runOne(name, quick, stop.signal);
    say(`${name}: ${why ?? "done"} after ${Math.round((performance.now() - since) / 1000)} s`);
    if (why !== null) failed.push(`${name}: ${why}`);
  }
  say(`\n${catalogue.length - failed.length} of ${catalogue.length} experiments were measured.`);
  for (const line of failed) say(`Not measured, and keeps the results that it had: ${line}`);
  return failed.length;
}

/** Null when it was measured, otherwise why not. */
function runOne(name: string, quick: boolean, signal: AbortSignal): Promise<string | null> {
  const [main = ""] = process.argv.slice(1);
  const args = [main, name, "--record", ...(quick ? ["--quick"] : [])];
  const timeout = quick ? LONGEST_MS.quick : LONGEST_MS.full;
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"], timeout, signal });
  return new Promise((resolve) => {
    child.on("error", ({ message }) => resolve(signal.aborted ? "stopped" : message));
    child.on("exit", (code, ended) => resolve(code === 0 ? null : ended === null ? "failed" : "took too long"));
  });
}
