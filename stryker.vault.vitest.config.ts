import { defineConfig } from "vitest/config";

/** The tests that mutants of the vault's workers have to get past: those that run in Node. */
export default defineConfig({
  test: {
    setupFiles: "vitest.setup.ts",
    include: ["packages/vault/src/**/*.test.ts"],
    exclude: ["**/*.browser.test.ts", "**/node_modules/**"],
    // Reloading the modules for every mutant would take longer than most tests do.
    isolate: false,
    // A mutant dies of what it does wrong, not of a machine that is busy with another one's tests.
    testTimeout: 30_000,
  },
});
