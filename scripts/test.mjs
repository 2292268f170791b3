// Everything that can fail, in one run: gates, unit tests, build, Playwright. Each stage runs even when an earlier one
// failed. The last line is `N passed, N failed`; a failed gate or build, or a stage without a test, counts as one failed.
import { readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { root, run, setUp, sources, tool } from "./setup.mjs";

await setUp();
const { findChromium } = await import("./chromium.mjs");
process.env.CHROMIUM = await findChromium();
const { findFirefox } = await import("./firefox.mjs");
process.env.FIREFOX = (await findFirefox()) ?? "";
if (!process.env.FIREFOX) console.log("No Firefox was found or could be installed: the tests with it are skipped.");

const stages = { gates, "unit tests": unit, build, "a second build": reproduce, "end-to-end tests": endToEnd };
const total = { passed: 0, failed: 0 };
const failures = [];
const unsteady = [];
for (const [name, stage] of Object.entries(stages)) {
  console.log(`\n== ${name}`);
  const { passed, failed, names = [], again = [] } = await stage();
  total.passed += passed;
  total.failed += failed;
  unsteady.push(...again);
  failures.push(...(names.length || !failed ? names : ["see above"]).map((of) => `${name}: ${of}`));
}
for (const name of unsteady)
  console.log(`Passed only when run again, so it or the product has a fault to be found: ${name}`);
for (const failure of failures) console.log(`Failed: ${failure}`);
if (total.passed + total.failed === 0) total.failed = 1;
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed ? 1 : 0;

async function gates() {
  const { code } = await run(process.execPath, ["scripts/check.mjs"]);
  return { passed: 0, failed: code };
}

async function build() {
  const { code } = await run(process.execPath, ["scripts/build.mjs"]);
  return { passed: 0, failed: code ? 1 : 0 };
}

async function reproduce() {
  const { code } = await run(process.execPath, ["scripts/reproduce.mjs"]);
  return code ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 };
}

async function unit() {
  const args = ["run", "--reporter=default", "--reporter=json", "--outputFile.json=test-results/unit.json"];
  const { code, report } = await reported("test-results/unit.json", "vitest", args);
  const ran = new Set(report?.testResults.map(({ name }) => relative(root, name).replaceAll("\\", "/")));
  const missed = sources().filter((file) => /\.test\.tsx?$/.test(file) && !file.startsWith("e2e/") && !ran.has(file));
  const tests = (report?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({ status, name: `${relative(root, name)} ${fullName}` })),
  );
  const failed = tests.filter(({ status }) => status === "failed").map(({ name }) => name);
  return counted(code, report?.numPassedTests, [...failed, ...missed.map((file) => `${file} was not run`)]);
}

/**
 * Live video of several browsers on one machine that may be busy with other things: what fails is run once more, and is
 * named at the end where it passes then.
 */
async function endToEnd() {
  const args = ["test", "-c", "e2e/playwright.config.ts", "--retries=1"];
  const { code, report } = await reported("test-results/e2e.json", "playwright", args);
  const { expected = 0, flaky = 0 } = report?.stats ?? {};
  const specs = specsOf(report?.suites ?? []);
  const again = specs.filter(({ tests }) => tests.some(({ status }) => status === "flaky"));
  const failed = specs.filter(({ ok }) => !ok);
  return { ...counted(code, expected + flaky, failed.map(specName)), again: again.map(specName) };
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
