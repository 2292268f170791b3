import { defineConfig } from "@playwright/test";
import { camera, chromium } from "../stage/browser.ts";

/** Figures of real calls at 720 lines. Nothing is asserted about speed; each measurement prints one line of JSON. */
export default defineConfig({
  testDir: ".",
  testMatch: "*.measure.ts",
  outputDir: "../../test-results/measure",
  workers: 1,
  retries: 0,
  timeout: 300_000,
  reporter: "line",
  use: chromium(camera(720)),
});
