import { readdirSync, readFileSync } from "node:fs";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { executablePath, flags } from "./packages/testbed/src/node/chromium.ts";
import { livekitCommands } from "./packages/testbed/src/node/livekit-commands.ts";
import { moqRelayCommands } from "./packages/testbed/src/node/moq-relay-commands.ts";

const inBrowser = "{packages,apps}/**/*.browser.test.{ts,tsx}";
/** Of these the ones that wait for pictures, sound or a connection. */
const watching = "{packages/{media,recording,network,latency,player},apps}/**/*.browser.test.{ts,tsx}";

/** Tests that put another module in a module's place, which nobody else may be given. */
const replacing = ["packages", "apps", "server"]
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`))
  .filter((file) => file.endsWith(".test.ts") && readFileSync(file, "utf8").includes("vi.mock("));

const everywhere = {
  setupFiles: "vitest.setup.ts",
  // Only a test that hangs takes so long, on a busy machine too; and so long only what never comes to hold.
  testTimeout: 30_000,
  expect: { poll: { timeout: 15_000 } },
  // Elsewhere a test that fails once is a fault, to be found. scripts/test.mjs names those that needed it.
  retry: process.env.CI ? 1 : 0,
};

const inNode = {
  ...everywhere,
  setupFiles: ["vitest.setup.ts", "vitest.node-setup.ts"],
  environment: "node",
  unstubGlobals: true,
};

/** A Chromium for these files, one after the other: two that wait for pictures would wait for each other. */
function inChromium(name: string, include: string[], exclude: string[] = []): TestProjectInlineConfiguration {
  return {
    // Cross-origin isolated like the product's own pages: timers are coarse otherwise.
    server: {
      headers: { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" },
    },
    // Found before the first test runs: finding them in the middle would reload the page under it.
    optimizeDeps: { entries: ["packages/*/src/**/*.worker.ts", inBrowser] },
    test: {
      ...everywhere,
      name,
      include,
      exclude: [...exclude, "**/node_modules/**", "**/dist/**"],
      browser: {
        enabled: true,
        headless: true,
        fileParallelism: false,
        screenshotFailures: false,
        commands: { ...livekitCommands, ...moqRelayCommands },
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
  };
}

export default defineConfig({
  test: {
    // On all cores, beside what needs a browser: that waits for pictures more than it computes.
    maxWorkers: "100%",
    projects: [
      {
        test: {
          ...inNode,
          name: "node",
          // One process for many files: to load all modules for each took a third of the time.
          isolate: false,
          include: ["{packages,server,apps}/**/*.test.{ts,tsx}"],
          exclude: [inBrowser, ...replacing, "**/node_modules/**", "**/dist/**"],
        },
      },
      { test: { ...inNode, name: "node-alone", include: replacing } },
      inChromium("chromium", [watching]),
      // Beside those that wait: these compute.
      inChromium("chromium-computing", [inBrowser], [watching]),
    ],
  },
});
