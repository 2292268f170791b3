import { defineConfig } from "vitest/config";

/** The tests that mutants of the key agreement have to get past: those that run in Node. */
export default defineConfig({
  test: {
    setupFiles: "vitest.setup.ts",
    include: ["packages/keys/src/**/*.test.ts"],
    exclude: ["**/*.browser.test.ts", "**/node_modules/**"],
    // Loading the modules anew for every mutant would take longer than most tests do.
    isolate: false,
    // Of the properties over whole rooms, which cost seconds a run, one run.
    env: { FUZZ_RUNS: "1" },
  },
});
