import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { executablePath, flags } from "./chromium.ts";

const inBrowser = "{packages,apps}/**/*.browser.test.{ts,tsx}";

export default defineConfig({
  test: {
    // Left to itself, Vitest leaves one core to what else a machine does.
    maxWorkers: "100%",
    projects: [
      {
        test: {
          name: "node",
          sequence: { groupOrder: 0 },
          environment: "node",
          setupFiles: "vitest.setup.ts",
          // Only a test that hangs takes so long, on a busy machine too.
          testTimeout: 30_000,
          include: ["{packages,server,apps}/**/*.test.{ts,tsx}"],
          exclude: [inBrowser, "**/node_modules/**", "**/dist/**"],
        },
      },
      {
        // Cross-origin isolated like the product's own pages: timers are coarse otherwise.
        server: {
          headers: { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" },
        },
        // Found before the first test runs: finding them in the middle would reload the page under it.
        optimizeDeps: { entries: ["packages/*/src/**/*.worker.ts", inBrowser] },
        test: {
          name: "chromium",
          // After all others, one file after the other: they wait for pictures that a machine has to encode meanwhile.
          sequence: { groupOrder: 1 },
          fileParallelism: false,
          setupFiles: "vitest.setup.ts",
          testTimeout: 30_000,
          include: [inBrowser],
          exclude: ["**/node_modules/**", "**/dist/**"],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              // The lab's shader: without a graphics processor, by a program that stands in for one.
              launchOptions: {
                executablePath,
                args: [...flags, "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"],
              },
              // Without one of these a page's addresses are hidden behind names, which no connection here could look up.
              contextOptions: { permissions: ["microphone"] },
            }),
            instances: [{ browser: "chromium" }],
          },
        },
      },
    ],
  },
});
