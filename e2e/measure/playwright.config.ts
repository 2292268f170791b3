import { defineConfig } from "@playwright/test";
import { camera, chromium } from "../stage/browser.ts";

/** Figures of real calls at a height of 720. Each measurement prints one line of JSON; of speed as such nothing is asserted. */
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
