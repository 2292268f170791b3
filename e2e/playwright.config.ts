import { join } from "node:path";
import { defineConfig } from "@playwright/test";
import { executablePath, flags } from "../chromium.ts";

const video = join(import.meta.dirname, "media/bunny-1280x720-25fps.mjpeg");

export default defineConfig({
  testDir: ".",
  outputDir: "../test-results/e2e",
  workers: 1,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  reporter: [["list"], ["json", { outputFile: "../test-results/e2e.json" }]],
  use: {
    browserName: "chromium",
    locale: "en-US",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath,
      args: [
        ...flags,
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        `--use-file-for-fake-video-capture=${video}`,
        "--autoplay-policy=no-user-gesture-required",
      ],
    },
  },
});
