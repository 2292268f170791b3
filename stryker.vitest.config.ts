import { defineConfig } from "vitest/config";

/** The tests that mutants of the frame and of its cryptography have to get past: those that run in Node. */
export default defineConfig({
  test: {
    setupFiles: "vitest.setup.ts",
    include: ["packages/{frame,crypto}/src/**/*.test.ts", "packages/media/src/worker/sealing/seal-open.test.ts"],
    exclude: ["**/*.browser.test.ts", "**/node_modules/**"],
  },
});
