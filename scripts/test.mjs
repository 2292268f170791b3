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

const stages = { gates, "unit tests": unit, build, "end-to-end tests": endToEnd };
const total = { passed: 0, failed: 0 };
for (const [name, stage] of Object.entries(stages)) {
  console.log(`\n== ${name}`);
  const { passed, failed } = await stage();
  total.passed += passed;
  total.failed += failed;
}
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

async function unit() {
  const args = ["run", "--reporter=default", "--reporter=json", "--outputFile.json=test-results/unit.json"];
  const { code, report } = await reported("test-results/unit.json", "vitest", args);
  const ran = new Set(report?.testResults.map(({ name }) => relative(root, name).replaceAll("\\", "/")));
  const missed = sources().filter((file) => /\.test\.tsx?$/.test(file) && !file.startsWith("e2e/") && !ran.has(file));
  for (const file of missed) console.log(`Not run: ${file}`);
  return counted(code, report?.numPassedTests, (report?.numFailedTests ?? 0) + missed.length);
}

async function endToEnd() {
  const args = ["test", "-c", "e2e/playwright.config.ts"];
  const { code, report } = await reported("test-results/e2e.json", "playwright", args);
  return counted(code, report?.stats.expected, (report?.stats.unexpected ?? 0) + (report?.stats.flaky ?? 0));
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
function counted(code, passed = 0, failed = 0) {
  const silent = failed === 0 && (code !== 0 || passed === 0);
  return { passed, failed: silent ? 1 : failed };
}
