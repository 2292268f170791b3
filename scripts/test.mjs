// `npm test`: gates, unit tests, the build, and the journeys, which only real browsers can prove. `npm run test:full`: all other
// end-to-end tests, and a second build. Each stage runs even when an earlier one failed. Continuous integration runs a test that
// fails once more. The last line is `N passed, N failed`; a failed gate or build, or a stage without a test, counts as one failed.
import { readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { root, run, setUp, sources, tool } from "./setup.mjs";
import { overBudget, readBudget, record, sayTimes, slowest } from "./test-report.mjs";

const isFull = process.argv.includes("--full");
const stages = isFull
  ? { installing, "a second build": reproduce, "end-to-end tests": () => endToEnd("rest") }
  : { installing, gates, "unit tests": unit, build, "end-to-end tests": () => endToEnd("journeys") };

const total = { passed: 0, failed: 0 };
const [failures, unsteady, skips, durations, times] = [[], [], [], [], {}];
for (const [name, stage] of Object.entries(stages)) {
  console.log(`\n== ${name}`);
  const began = performance.now();
  const { passed, failed, names = [], again = [], skipped = [], tests = [] } = await stage();
  times[name] = Math.round((performance.now() - began) / 1000);
  total.passed += passed;
  total.failed += failed;
  unsteady.push(...again);
  skips.push(...skipped);
  durations.push(...tests);
  failures.push(...(names.length || !failed ? names : ["see above"]).map((of) => `${name}: ${of}`));
}
console.log(`\nThe slowest tests, in seconds:\n${slowest(durations)}\n`);
console.log(sayTimes(isFull ? "test:full" : "test", times));
if (process.argv.includes("--record")) record(isFull ? "test:full" : "test", times);
for (const skipped of skips) console.log(`Skipped: ${skipped}`);
for (const name of unsteady)
  console.log(`Passed only when run again, so it or the product has a fault to be found: ${name}`);
for (const failure of failures) console.log(`Failed: ${failure}`);
if (total.passed + total.failed === 0) total.failed = 1;
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed ? 1 : 0;

async function installing() {
  await setUp();
  const { findChromium } = await import("./chromium.mjs");
  process.env.CHROMIUM = await findChromium();
  const { findFirefox } = await import("./firefox.mjs");
  process.env.FIREFOX = (await findFirefox()) ?? "";
  if (!process.env.FIREFOX) console.log("No Firefox was found or could be installed: the tests with it are skipped.");
  return { passed: 0, failed: 0 };
}

async function gates() {
  const { code } = await run(process.execPath, ["scripts/check.mjs"]);
  return { passed: 0, failed: code };
}

async function build() {
  const { code } = await run(process.execPath, ["scripts/build.mjs"]);
  return { passed: 0, failed: code ? 1 : 0 };
}

/** Builds all as `npm run build` does, and the client once more. */
async function reproduce() {
  const { failed } = await build();
  const { code } = await run(process.execPath, ["scripts/reproduce.mjs", "--built"]);
  return failed || code ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 };
}

async function unit() {
  const args = ["run", "--reporter=default", "--reporter=json", "--outputFile.json=test-results/unit.json"];
  const { code, report } = await reported("test-results/unit.json", "vitest", args);
  const ran = new Set(report?.testResults.map(({ name }) => relative(root, name).replaceAll("\\", "/")));
  const missed = sources().filter((file) => /\.test\.tsx?$/.test(file) && !file.startsWith("e2e/") && !ran.has(file));
  const tests = (report?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status, duration, failureMessages }) => ({
      outcome: status === "passed" && failureMessages.length ? "passed again" : status,
      name: `${relative(root, name)} ${fullName}`,
      ms: duration ?? 0,
    })),
  );
  const named = (outcome) => tests.filter((test) => test.outcome === outcome).map(({ name }) => name);
  const names = [...named("failed"), ...missed.map((file) => `${file} was not run`)];
  return { ...counted(code, report?.numPassedTests, names), again: named("passed again"), tests };
}

/**
 * `which`: "journeys", the tests that are tagged so, or the "rest", of which specs that wait more than they compute run two at
 * a time.
 */
async function endToEnd(which) {
  const runs =
    which === "rest" ? [await playwright(which, true), await playwright(which, false)] : [await playwright(which)];
  const code = Math.max(...runs.map(({ code }) => code));
  const stats = runs.map(({ report }) => report?.stats ?? {});
  const passed = stats.reduce((sum, { expected = 0, flaky = 0 }) => sum + expected + flaky, 0);
  const specs = runs.flatMap(({ report }) => specsOf(report?.suites ?? []));
  const again = specs.filter(({ tests }) => tests.some(({ status }) => status === "flaky"));
  const failed = [...specs.filter(({ ok }) => !ok).map(specName), ...overBudget(which, specs)];
  const tests = specs.map((spec) => ({
    name: specName(spec),
    ms: Math.max(...spec.tests.flatMap(({ results }) => results.map(({ duration }) => duration))),
  }));
  return { ...counted(code, passed, failed), again: again.map(specName), skipped: specs.flatMap(skippedOf), tests };
}

/** Each test of a spec that was skipped, and why. */
function skippedOf(spec) {
  const skips = spec.tests.flatMap(({ annotations }) => annotations.filter(({ type }) => type === "skip"));
  return skips.map(({ description }) => `${specName(spec)} (${description})`);
}

/** @param beside only the specs that share the machine, two at a time, or only the others; every one where it is not given. */
function playwright(which, beside) {
  const args = ["test", "-c", "e2e/playwright.config.ts", which === "rest" ? "--grep-invert" : "--grep", "@journey"];
  const specs = Object.entries(readBudget()).filter(([, spec]) => (spec.beside ?? false) === beside);
  args.push(...specs.map(([file]) => `e2e/${file}`));
  // Each run empties the folder of what it keeps of failures.
  if (beside) args.push("--workers", "2", "--output", "test-results/e2e-beside");
  return reported("test-results/e2e.json", "playwright", args);
}

function specsOf(suites) {
  return suites.flatMap(({ suites = [], specs = [] }) => [...specsOf(suites), ...specs]);
}

function specName({ file, line, title }) {
  return `${file}:${line} ${title}`;
}

/** Runs a test runner that writes its report to `file`; null when it wrote none. */
async function reported(file, name, args) {
  const path = join(root, file);
  rmSync(path, { force: true });
  const { code } = await run(tool(name), args);
  try {
    return { code, report: JSON.parse(readFileSync(path, "utf8")) };
  } catch {
    return { code, report: null };
  }
}

/** A runner that failed without a failed test (a file that did not load), or ran none, counts as one failed. */
function counted(code, passed = 0, names = []) {
  const silent = names.length === 0 && (code !== 0 || passed === 0);
  return { passed, failed: silent ? 1 : names.length, names };
}
