// What a test run cost, beside what it may cost. Times depend on the machine, so they are reported and never asserted; how many
// pages a spec opens does not.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { root } from "./setup.mjs";

const recorded = join(root, "scripts/test-times.json");
const budget = join(root, "e2e/budget.json");
const SLOWEST = 10;

/** Pages that each spec may open in the journeys and in the rest, the fixed waits in its source, and whether it runs beside another. */
export function readBudget() {
  return JSON.parse(readFileSync(budget, "utf8"));
}

/** Of tests as `{ name, ms }`, the slowest, a line each. */
export function slowest(tests) {
  const lines = tests
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)}  ${name}`);
  return lines.join("\n");
}

/** Seconds of each stage of that command beside those that were recorded. */
export function sayTimes(command, times) {
  const { [command]: before = {}, machine } = readTimes();
  const all = { ...times, total: sum(times) };
  const known = { ...before, total: sum(before) };
  const lines = Object.entries(all).map(([stage, seconds]) => {
    return `${stage.padEnd(20)}${String(seconds).padStart(6)} s${String(known[stage] ?? "-").padStart(8)} s`;
  });
  return [`${"Stage".padEnd(20)}${"now".padStart(8)}  recorded (${machine ?? "never"})`, ...lines].join("\n");
}

/** Keeps the times for later runs to be held against. */
export function record(command, times) {
  const machine = `${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}`;
  writeFileSync(recorded, `${JSON.stringify({ ...readTimes(), machine, [command]: times }, null, 2)}\n`);
}

/** The specs that opened more pages than they may, in words. `which`: "journeys" or "rest". */
export function overBudget(which, specs) {
  const opened = new Map();
  for (const { file, tests } of specs) opened.set(file, (opened.get(file) ?? 0) + sum(tests.map(pages)));
  const allowed = readBudget();
  return [...opened].flatMap(([file, count]) => {
    const most = allowed[file]?.[which] ?? 0;
    return count > most ? [`${file} opened ${count} pages in the ${which}; e2e/budget.json allows ${most}`] : [];
  });
}

function pages({ annotations }) {
  return annotations.filter(({ type }) => type === "page").length;
}

function readTimes() {
  return existsSync(recorded) ? JSON.parse(readFileSync(recorded, "utf8")) : {};
}

function sum(numbers) {
  return Object.values(numbers).reduce((total, number) => total + number, 0);
}
