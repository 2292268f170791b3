import { defineConfig } from "@playwright/test";
import { camera, chromium } from "../stage/browser.ts";

/** Long runs in which guests do harm at random. CHAOS_SECONDS and CHAOS_SEED set how long, and which run it is. */
export default defineConfig({
  testDir: ".",
  testMatch: "*.chaos.ts",
  outputDir: "../../test-results/chaos",
  workers: 1,
  retries: 0,
  timeout: 0,
  reporter: "line",
  use: chromium(camera(360)),
});
