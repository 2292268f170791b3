import { defineConfig } from "@playwright/test";
import { camera, chromium } from "./stage/browser.ts";

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: "../test-results/e2e",
  workers: 1,
  // Elsewhere a test that fails once is a fault, to be found. scripts/test.mjs names those that needed it.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: Boolean(process.env.CI),
  // Three people in a call are as much as a slow machine with two cores computes: what they wait for comes, later.
  timeout: 120_000,
  // What is shown at once here takes its time on a machine that is busy with something else.
  expect: { timeout: 20_000 },
  reporter: [["list"], ["json", { outputFile: "../test-results/e2e.json" }]],
  use: { ...chromium(camera(360)), screenshot: "only-on-failure", deviceScaleFactor: 0.5 },
});
