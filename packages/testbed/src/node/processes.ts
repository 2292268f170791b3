import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Of the browser with this profile: its first process, and all that it started. Linux alone says it; elsewhere there are none. */
export function processesOf(profile: string): string[] {
  const pids = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  const parents = new Map(pids.map((pid) => [pid, /^PPid:\s*(\d+)/m.exec(readProcess(pid, "status"))?.[1] ?? ""]));
  const own = new Set(pids.filter((pid) => readProcess(pid, "cmdline").includes(`--user-data-dir=${profile}`)));
  const isOwn = (pid: string): boolean => own.has(pid) || (parents.has(pid) && isOwn(parents.get(pid) ?? ""));
  return pids.filter(isOwn);
}

/** What the system says of a process; empty where that has ended. */
export function readProcess(pid: string, file: "cmdline" | "smaps_rollup" | "stat" | "status"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
